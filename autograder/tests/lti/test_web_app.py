"""The command serves with TLS and ends quietly; what its own files cannot do is a line in the log."""

from __future__ import annotations

import ipaddress
import re
import signal
import socket
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

import pytest
from support.everywhere import need_modules

need_modules("the extra `lti`", "cryptography", "jwt", "pylti1p3", "requests", "starlette", "uvicorn")

import requests  # noqa: E402
from cryptography import x509  # noqa: E402
from cryptography.hazmat.primitives.hashes import SHA256  # noqa: E402
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat  # noqa: E402
from support.class_course import LESSON  # noqa: E402
from support.handing_in import run  # noqa: E402
from support.holding import HOLDS, answer, held  # noqa: E402
from support.lti_class import toml  # noqa: E402
from support.lti_platform import KEYS  # noqa: E402


@pytest.fixture
def certificate(tmp_path):
    """A certificate of this machine's own address, and its key."""
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.now(UTC)
    result = x509.CertificateBuilder(name, name, KEYS[1].public_key(), 1, now, now + timedelta(days=1))
    reference = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    result = result.add_extension(reference, critical=False).add_extension(
        x509.BasicConstraints(True, None), True
    )
    (tmp_path / "own.pem").write_bytes(result.sign(KEYS[1], SHA256()).public_bytes(Encoding.PEM))
    key = KEYS[1].private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    (tmp_path / "own-key.pem").write_bytes(key)
    return tmp_path / "own.pem", tmp_path / "own-key.pem"


@pytest.mark.skipif(sys.platform == "win32", reason="needs Unix: Windows interrupts in another way")
def test_the_command_serves_with_tls_and_ends_when_it_is_interrupted(folder, home, certificate):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    at = f"https://127.0.0.1:{port}"
    (folder / "lti.toml").write_text(toml(home, at), encoding="utf-8")
    command = [sys.executable, "-m", "autograder", "lti", "--port", str(port)]
    command += ["--certificate", certificate[0], "--key", certificate[1], "--course", folder]
    command = [str(word) for word in command]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as served:
        try:
            output = [served.stdout.readline() for _ in range(4)]
            keys = requests.get(f"{at}/jwks", verify=str(certificate[0]), timeout=60).json()["keys"]
            asked = home.opens("u1")
            begun = requests.post(f"{at}/login", asked, verify=str(certificate[0]), allow_redirects=False)
            refused = requests.post(f"{at}/launch", {"state": "x\n"}, verify=str(certificate[0]))
        finally:
            served.send_signal(signal.SIGINT)
        rest, log = served.communicate()
    assert f"  launch: {at}/launch\n" in output
    assert (len(keys), begun.status_code, refused.status_code) == (1, 302, 403)
    assert begun.headers["Set-Cookie"].endswith("; Path=/; HttpOnly; Secure; SameSite=None; Partitioned")
    line = r"[-\d]{10} [:\d]{8} refused at /launch: its login did not begin here, or before a restart\n"
    assert re.fullmatch(line, log), log
    assert (rest, served.returncode) == ("", 0)


def test_a_file_of_its_own_that_cannot_be_used_is_a_line_and_a_page(browser, folder, caplog):
    (folder / "lti.db").write_bytes(b"no database at all, and long enough to be read as one" * 100)
    assert browser.launches("u1").status_code == 500
    (line,) = [item.getMessage() for item in caplog.records if item.levelname == "ERROR"]
    assert re.match(r"failed at /launch: .*lti\.db cannot be used: ", line)


@pytest.mark.parametrize(
    ("old", "new", "output"),
    [
        ('login = "http', 'login = "ftp', "`login`"),
        ('address = "http://127.0.0.1', 'address = "http://lti.example', "`address`"),
        ("[[platform]]", "[[platforms]]", "platform"),
        ('client_id = "client-1"', 'client_id = ""', "must not be empty"),
    ],
)
def test_an_lti_toml_that_is_wrong_is_told_where(folder, home, old, new, output):
    text = toml(home, "http://127.0.0.1:1")
    assert text.count(old) == 1
    (folder / "lti.toml").write_text(text.replace(old, new), encoding="utf-8")
    assert output in run(folder, "lti", code=2)


def test_a_certificate_goes_with_its_key(folder):
    assert "go together" in run(folder, "lti", "--certificate", "x.pem", code=2)


def test_a_proxy_is_named_by_its_address(folder):
    output = run(folder, "lti", "--proxy", "nginx", code=2)
    assert "--proxy takes an address or a network, as 127.0.0.1" in output


def test_idle_connections_keep_nobody_out(browser, home):
    port = urlsplit(browser.tool).port
    with held(port, 220, HOLDS["half a head"]), held(port, 220, HOLDS["idle"], "127.0.0.2"):
        sources = ("127.0.0.1", "127.0.0.2", "127.0.0.3")
        assert [answer(port, "/jwks", source) for source in sources] == [200] * 3
        assert browser.launches("u1", LESSON).status_code == 200
