"""`ostiary doctor` at a provider: what others wrote and serve may not break a rule that every client needs."""

from harness.command import OK
from harness.peer import require
from harness.scenario import Scenario, Step


def scenario(issuer):
    def without_errors(visit):
        answer = visit.result.json
        findings = answer.get("findings") or []
        errors = [finding["rule"] for finding in findings if finding["grade"] == "error"]
        require(not errors, f"the doctor has errors: {errors}")
        kept = {finding["rule"] for finding in findings if finding["grade"] == "ok"}
        # A document that was not read breaks no rule: the rules about its content must have been applied.
        require({"issuer-match", "metadata-required", "keys-usable"} <= kept, f"these rules are kept: {sorted(kept)}")

    step = Step("check the issuer", ("doctor", issuer, "--json"), exits=(OK,), expect=without_errors)
    return Scenario("doctor", (step,))
