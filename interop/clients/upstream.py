"""An application without a sign-in of its own: writes down each request that reaches it. `upstream.py PORT FILE`.

A WebSocket gets one message (RFC 6455 sections 4.2.2 and 5.2).
"""

import base64
import hashlib
import http.server
import json
import sys

PORT, RECORD = int(sys.argv[1]), sys.argv[2]
PAGE = b"<!doctype html><html lang=en><title>Reports</title><h1>The application's page</h1></html>\n"


class Application(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self):
        # Browsers ask every site for its picture.
        if self.path not in ("/up", "/favicon.ico"):
            self.note()
        if self.headers.get("Upgrade", "").lower() == "websocket":
            return self.open_socket()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(PAGE)))
        self.end_headers()
        self.wfile.write(PAGE)

    def open_socket(self):
        key = self.headers.get("Sec-WebSocket-Key", "") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        self.send_response(101)
        self.send_header("Upgrade", "websocket")
        self.send_header("Connection", "Upgrade")
        self.send_header("Sec-WebSocket-Accept", base64.b64encode(hashlib.sha1(key.encode()).digest()).decode())
        self.end_headers()
        self.wfile.write(b"\x81\x05hello")
        self.close_connection = True
        # Until the other side closes it.
        self.connection.settimeout(20)
        while self.rfile.read1(4096):
            pass

    def note(self):
        seen = {"method": self.command, "target": self.path, "fields": self.headers.items(), "body": self.body()}
        with open(RECORD, "a") as record:
            record.write(json.dumps(seen) + "\n")

    def body(self):
        if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        parts = []
        while size := int(self.rfile.readline(), 16):
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(parts).decode()

    do_GET = do_POST = do_PUT = do_DELETE = answer


http.server.ThreadingHTTPServer(("127.0.0.1", PORT), Application).serve_forever()
