"""Headless Chromium, controlled over a pair of pipes: no driver, no socket, no package."""
import base64
import json
import os
import signal
import subprocess
import time

from harness import find_tool

CHROMIUM = find_tool("chromium", "chromium-browser", "google-chrome")


class Browser:
    """One page. `requests` contains every address that it requested."""

    def __init__(self, profile):
        to_browser, self.out = os.pipe()
        self.inp, from_browser = os.pipe()
        # The browser reads on descriptor 3 and writes on 4.
        command = (f'exec 3<&{to_browser} 4>&{from_browser}; exec "$0" "$@"', CHROMIUM,
                   "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
                   "--hide-scrollbars", "--disable-background-networking",
                   "--remote-debugging-pipe", f"--user-data-dir={profile}", "about:blank")
        self.process = subprocess.Popen(["sh", "-c", *command], pass_fds=(to_browser, from_browser),
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                        start_new_session=True)
        os.close(to_browser)
        os.close(from_browser)
        self.buffer = b""
        self.number = 0
        self.session = None
        self.requests = []
        self.events = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target,
                                 flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.call(f"{domain}.enable")

    def close(self):
        """Returns when no process that could write to the profile is left."""
        os.close(self.out)
        os.close(self.inp)
        try:
            for _ in range(600):  # a zombie stays in the group
                os.killpg(self.process.pid, signal.SIGKILL)
                self.process.poll()
                time.sleep(0.05)
        except ProcessLookupError:
            pass
        self.process.wait()

    def _receive(self):
        while b"\0" not in self.buffer:
            chunk = os.read(self.inp, 1 << 16)
            if not chunk:
                raise RuntimeError("the browser is gone")
            self.buffer += chunk
        message, self.buffer = self.buffer.split(b"\0", 1)
        message = json.loads(message)
        if "method" in message:
            self.events.append(message)
            if message["method"] == "Network.requestWillBeSent":
                self.requests.append(message["params"]["request"]["url"])
        return message

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    def complaints(self):
        """The messages of the browser's console: script errors, policy violations."""
        return [event["params"] for event in self.events
                if event["method"] in ("Runtime.exceptionThrown", "Log.entryAdded")]

    def open(self, path, width=1280, height=900, scheme="light", media=""):
        self.requests, self.events = [], []
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=width < 600)
        self.call("Emulation.setEmulatedMedia", media=media,
                  features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.call("Page.navigate", url=path.resolve().as_uri())
        while not any(event["method"] == "Page.loadEventFired" for event in self.events):
            self._receive()

    def evaluate(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True,
                           awaitPromise=True, userGesture=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"])
        return answer["result"].get("value")

    def press(self, key):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key,
                      windowsVirtualKeyCode={"Tab": 9, "Enter": 13}[key],
                      **({"text": "\r"} if key == "Enter" and kind == "keyDown" else {}))

    def screenshot(self, file, scale=1):
        """The whole page, regardless of its length."""
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        answer = self.call("Page.captureScreenshot", captureBeyondViewport=True,
                           clip={"x": 0, "y": 0, "width": size["width"],
                                 "height": size["height"], "scale": scale})
        file.write_bytes(base64.b64decode(answer["data"]))

    def pdf(self):
        return base64.b64decode(self.call("Page.printToPDF", preferCSSPageSize=True,
                                          printBackground=True)["data"])
