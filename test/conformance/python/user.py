"""What a user does in a browser: plain requests, a cookie jar, the forms of the hosted pages."""

import html
import os
import re
from urllib.parse import parse_qs, urljoin, urlsplit

import requests

ISSUER = os.environ["GATEHOUSE_ISSUER"]
EMAIL = os.environ["GATEHOUSE_EMAIL"]
PASSWORD = os.environ["GATEHOUSE_PASSWORD"]


class User:
    """One browser."""

    def __init__(self):
        self.http = requests.Session()

    def visit(self, url):
        """Goes to an address, signs in and consents where a page asks; answers the address of the client it ends at."""
        return self._walk(url, None)

    def browse(self, url, application):
        """The same, through an application under test; answers the first page that is this application's own."""
        return self._walk(url, application)

    def _walk(self, url, application):
        answer = self.http.get(url, allow_redirects=False)
        for _ in range(20):
            if answer.is_redirect:
                url = urljoin(answer.url, answer.headers["location"])
                if not url.startswith((ISSUER + "/", f"{application}/")):
                    return url
                answer = self.http.get(url, allow_redirects=False)
                continue
            if application and answer.url.startswith(application + "/"):
                return answer
            assert answer.status_code == 200, f"{answer.status_code} at {answer.url}: {answer.text[:500]}"
            answer = self._submit(answer)
        raise AssertionError("too many pages")

    def _submit(self, page):
        fields = {}
        for tag in re.findall(r"<input\b[^>]*>", page.text):
            name = re.search(r'\bname="([^"]*)"', tag)
            value = re.search(r'\bvalue="([^"]*)"', tag)
            if name:
                fields[name.group(1)] = html.unescape(value.group(1)) if value else ""
        if "password" in fields:
            fields |= {"username": EMAIL, "password": PASSWORD}
        else:
            assert 'value="allow"' in page.text, page.text
            fields["decision"] = "allow"
        action = html.unescape(re.search(r'<form\b[^>]*\baction="([^"]*)"', page.text).group(1))
        return self.http.post(urljoin(page.url, action), data=fields, allow_redirects=False)


def query_of(url):
    """The parameters of an address, each with its one value."""
    return {name: value for name, [value] in parse_qs(urlsplit(url).query, strict_parsing=True).items()}


def said(line):
    """Tells what was proven."""
    print(f"  ok  {line}", flush=True)
