"""Connect a class to a learning platform by LTI 1.3: launches, the class list and scores.

Files that platforms export are read in `classroom`. Nothing here is imported unless somebody uses it, because
it needs the extra `lti`. Code that answers a browser never opens the gradebook; only commands do.
"""

# The modules that other rooms use.
__all__ = [
    *("course_store", "platform_client", "registrations", "roster_service", "score_sender", "signing_keys"),
    *("web_app",),
]
