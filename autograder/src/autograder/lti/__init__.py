"""A class on a learning platform that speaks LTI 1.3: launches, the class list, scores.

Files that platforms export stand in `classroom`. Nothing here is imported before a person asks for it: it
needs the extra `lti`. What answers a browser never opens the gradebook; commands do, which a person types.
"""

# The modules that other rooms use.
__all__ = [
    *("course_store", "platform_client", "registrations", "roster_service", "score_sender", "signing_keys"),
    *("web_app",),
]
