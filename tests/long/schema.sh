#!/bin/sh
# Has the schemas read by the tools they are for, from npm (so this needs the network): ajv in strict mode compiles both
# flavours and agrees with validate on 25,000 payloads, with at most 3 errors for one defect, the first at its place;
# redocly and spectral find no error; three generators make types that tsc compiles.
set -eu
cd "$(dirname "$0")/../.."
root=$PWD
credhook=${CREDHOOK:-$root/build/credhook}
. samples/packages.sh
need_packages python3 python3-jsonschema
command -v npm >/dev/null || need_packages nodejs npm
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund ajv@8 ajv-formats@3 @redocly/cli @stoplight/spectral-cli \
	json-schema-to-typescript@15 openapi-typescript@7 quicktype@23 typescript@5 >/dev/null

"$credhook" schema >types.json
"$credhook" schema --for validators >validators.json
"$credhook" schema --format openapi >openapi.json

PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$root/tests/schema:$root/tests/e2e" python3 - <<'EOF'
from opinion import NotJson, RepeatedKey, strict_read
import second_opinion_payloads as payloads
with open("cases.ndjson", "wb") as f:
    for cases in payloads.groups(11, 24000).values():
        for _, data in cases:
            try:
                strict_read(data)
            except (NotJson, RepeatedKey):
                continue
            f.write(data + b"\n")
EOF
"$credhook" validate --json --no-config cases.ndjson >verdicts.ndjson || [ $? -eq 1 ]
for finding in wrong-type missing-key unexpected-path unknown-event bad-format bad-value; do
	"$credhook" build all --seed 1 --break "$finding" 2>/dev/null
done >defects.ndjson
"$credhook" validate --json --no-config defects.ndjson >places.ndjson || [ $? -eq 1 ]

cat >check.js <<'EOF'
const fs = require('fs');
const Ajv = require('ajv/dist/2020').default, formats = require('ajv-formats').default;
const lines = file => fs.readFileSync(file, 'utf8').split('\n').filter(line => line);
// Not numbers that JSON.parse() rounds: 1.0000000000000000001 to an integer, 300 digits to infinity.
const exact = text => !/[0-9][eE.][-+0-9]|[0-9]{300}/.test(text);
const validators = {};
for (const name of ['types', 'validators']) {
	const ajv = new Ajv({ strict: true, allErrors: true });
	formats(ajv);
	validators[name] = ajv.compile(JSON.parse(fs.readFileSync(name + '.json')));
}
let wrong = 0, compared = 0;
const verdicts = lines('verdicts.ndjson').map(JSON.parse);
lines('cases.ndjson').forEach((line, i) => {
	if (!exact(line))
		return;
	for (const name in validators) {
		compared++;
		if (validators[name](JSON.parse(line)) !== verdicts[i].valid && wrong++ < 10)
			console.log(`${name}: ajv and validate differ: ${line.slice(0, 300)}`);
	}
});
console.log(`${compared} verdicts of ajv compared with validate's`);
const places = lines('places.ndjson').map(JSON.parse), validate = validators.validators;
lines('defects.ndjson').forEach((line, i) => {
	const finding = places[i].findings[0];
	validate(JSON.parse(line));
	const first = validate.errors[0];
	const missing = first.params.missingProperty ? '/' + first.params.missingProperty : '';
	const at = first.instancePath + missing;
	const wanted = finding.finding === 'missing-key' ? at.startsWith(finding.pointer) : at === finding.pointer;
	if ((validate.errors.length > 3 || !wanted) && wrong++ < 10)
		console.log(`${finding.finding} at ${finding.pointer}: ${validate.errors.length} errors, the first at ${at}`);
});
console.log(`${places.length} payloads with one defect`);
if (wrong || compared < 40000 || places.length < 100)
	process.exit(1);
EOF
node check.js

export REDOCLY_TELEMETRY=off
npx redocly lint openapi.json >redocly.log 2>&1 || { cat redocly.log; exit 1; }
echo '{"extends":["spectral:oas"]}' >rules.json
npx spectral lint openapi.json -r rules.json

npx json2ts types.json >json2ts.ts
npx openapi-typescript openapi.json -o openapi.ts >/dev/null 2>&1
npx quicktype -s schema types.json -o quicktype.ts
# The union can be told apart by its constants: in the branch the details have their own type.
cat >use.ts <<'EOF'
import { Notification } from './json2ts';
export function change(n: Notification): string | undefined {
	if (n.service === 'score-simulator')
		return n.details.change;
	if (n.service === 'alerts')
		return n.details.alertDetails.disputeStatus;
	return undefined;
}
EOF
npx tsc --strict --noEmit json2ts.ts openapi.ts quicktype.ts use.ts
echo "the schemas are read by ajv, redocly, spectral, json-schema-to-typescript, openapi-typescript, quicktype and tsc"
