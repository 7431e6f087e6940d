"""What a client sees of the service through the proxy of docs/nginx.conf."""

import json
import socket
import ssl
import sys
import time
from http.client import HTTPSConnection

PORT = int(sys.argv[1])
TLS = ssl.create_default_context()
TLS.check_hostname, TLS.verify_mode = False, ssl.CERT_NONE


def ask(method, path, body=None, **headers):
    connection = HTTPSConnection("127.0.0.1", PORT, context=TLS, timeout=20)
    headers = {"api_key": "a-key", "Content-Type": "application/json"} | headers
    connection.request(method, "/1.0.0" + path, body, {name: value for name, value in headers.items() if value})
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer, text


def expect(status, method, path, body=None, **headers):
    answer, text = ask(method, path, body, **headers)
    assert answer.status == status, (method, path[:60], answer.status, status, text[:300])
    return answer, text


def raw():
    stream = TLS.wrap_socket(socket.create_connection(("127.0.0.1", PORT), timeout=20))
    return stream


for attempt in range(100):
    try:
        ask("GET", "/patient/1")
        break
    except OSError:
        assert attempt < 99, "nginx does not listen"
        time.sleep(0.1)

# The key arrives despite its underscore; without a key every request is refused.
expect(201, "POST", "/patient", '{"patientId":1,"name":"Ada"}')
expect(401, "GET", "/patient/1", api_key=None)
# Paths arrive as they were sent, and answers as they were given.
expect(200, "POST", "/inventory/a%2Fb%25", "{}")
_, item = expect(200, "GET", "/inventory/A%2fB%25")
assert json.loads(item)["medicine"] == "a/b%", item
expect(404, "GET", "//patient/1")
answer, patient = expect(200, "GET", "/patient/1", Accept="application/xml")
assert answer.getheader("Content-Type") == "application/xml" and "<name>Ada</name>" in patient, patient
expect(304, "GET", "/patient/1", **{"Accept": "application/xml", "If-None-Match": answer.getheader("ETag")})
expect(412, "PUT", "/patient", '{"patientId":1,"age":3}', **{"If-Match": '"999-json"'})
assert len(answer.getheader("X-Request-Id")) == 32 and answer.getheader("Cache-Control") == "no-store"
# The limits are the service's own.
_, problem = expect(413, "PUT", "/patient", '{"patientId":1}' + " " * 70_000)
assert "urn:care:problem:too-large" in problem, problem
_, problem = expect(414, "GET", "/patient?name=" + "x" * 17_000)
assert "urn:care:problem:target-too-long" in problem, problem
# A wait for news is not cut short.
last = json.loads(expect(200, "GET", "/news")[1])["seq"]
expect(200, "GET", f"/journal?after={last}&wait=2")
# nginx disconnects clients that send a head or a body slowly, and they hold up no other client.
head = "PUT /1.0.0/patient HTTP/1.1\r\nHost: x\r\napi_key: a-key\r\nContent-Type: application/json\r\n"
slow = []
for sent in (head, head + "Content-Length: 100\r\n\r\n", head + 'Content-Length: 100\r\n\r\n{"patientId":'):
    for _ in range(20):
        stream = raw()
        stream.sendall(sent.encode())
        slow.append(stream)
for _ in range(20):
    expect(200, "GET", "/patient/1")
for stream in slow:
    try:
        said = stream.recv(64)
    except OSError:
        said = b""
    assert said == b"" or said.startswith(b"HTTP/1.1 408"), said
expect(200, "GET", "/patient/1")
