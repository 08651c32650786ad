"""A web application of others in this process, and a browser for it that needs no pages."""

import threading
import urllib.parse
import wsgiref.simple_server

import requests


class Quiet(wsgiref.simple_server.WSGIRequestHandler):
    def log_message(self, *_):
        pass


def serve(application, origin):
    """Serves a WSGI application at its origin until the program ends."""
    place = urllib.parse.urlsplit(origin)
    server = wsgiref.simple_server.make_server(place.hostname, place.port, application, handler_class=Quiet)
    threading.Thread(target=server.serve_forever, daemon=True).start()


class Browser:
    """Follows redirects between the application and the provider, and keeps the cookies of both."""

    def __init__(self, origin):
        self.origin = origin
        self.session = requests.Session()

    def open(self, path, **form):
        """The last response, and the places that the way there led through."""
        url = urllib.parse.urljoin(self.origin, path)
        headers = {"Referer": url}
        response = self.session.request("POST" if form else "GET", url, data=form or None, headers=headers, timeout=20)
        return response, [step.url for step in response.history]

    def cookie(self, name):
        """The value of a cookie of the application."""
        return next((cookie.value for cookie in self.session.cookies if cookie.name == name), "")

    def user(self, path="/"):
        """The user whom the application's own page knows."""
        return self.open(path)[0].json()
