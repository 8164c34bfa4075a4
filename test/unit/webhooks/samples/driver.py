import json
import sys

from webhook import verify_webhook

results = []
for case in json.load(open(sys.argv[1], encoding="utf-8")):
    try:
        event = verify_webhook(case["secret"], case["headers"], case["body"].encode("utf-8"))
        results.append(event["id"])
    except ValueError:
        results.append(None)
print(json.dumps(results))
