"""A listener as a first version in Flask would be, without checks."""

from flask import Flask, request

app = Flask(__name__)
customers, alerts = {}, {}


@app.post("/hook")
def hook():
    payload = request.get_json()
    details = payload["details"]
    kind = payload["service"], payload["event"]
    if kind == ("user", "201"):
        customers[details["clientKey"]] = {"name": details["firstName"].strip() + " " + details["lastName"].strip(),
                                           "city": details["address"]["city"].strip()}
    elif kind == ("alerts", "push"):
        alerts[details["alertId"]] = {"bureau": details["bureau"].strip(),
                                      "status": details["alertDetails"].get("disputeStatus")}
    else:
        customers[details.get("clientKey")] = {"app": details["appKey"].lower()}
    return ""
