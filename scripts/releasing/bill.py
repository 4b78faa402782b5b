"""The software bill of materials: what is linked into the programs, as CycloneDX 1.5 in JSON."""

from __future__ import annotations

import json
import uuid

from . import sources, toolchain
from .targets import contents_of

Part = sources.Source | toolchain.Runtime


def bill(version: str, programs: dict[str, str]) -> str:
    """The hash of each program, by the name of its target. No time and no random number: the same input gives the same
    output."""
    components: dict[str, dict] = {}
    dependencies = []
    files = []
    for name in sorted(programs):
        target = contents_of(name)
        linked: list[Part] = [*sources.linked_into(target.system), *toolchain.runtimes(target)]
        components.update({_reference(each): _component(each) for each in linked})
        dependencies.append({"ref": _program_reference(name), "dependsOn": sorted(map(_reference, linked))})
        files.append({"type": "file", "bom-ref": _program_reference(name), "name": f"{name}/{target.program}",
                      "hashes": [{"alg": "SHA-256", "content": programs[name]}]})
    document = {
        "$schema": "http://cyclonedx.org/schema/bom-1.5.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": {"type": "application", "bom-ref": "tcfix", "name": "tcfix", "version": version,
                                   "licenses": [{"license": {"id": "Apache-2.0"}}],
                                   "purl": f"pkg:pypi/tcfix@{version}"}},
        "components": files + [components[reference] for reference in sorted(components)],
        "dependencies": [{"ref": "tcfix", "dependsOn": [each["ref"] for each in dependencies]}, *dependencies],
    }
    seed = json.dumps(document, sort_keys=True)
    document["serialNumber"] = "urn:uuid:" + str(uuid.uuid5(uuid.NAMESPACE_URL, seed))
    return json.dumps(document, indent=2) + "\n"


def _program_reference(target: str) -> str:
    return "program-" + target


def _reference(part: Part) -> str:
    return f"{part.name}@{part.version}"


def _component(part: Part) -> dict:
    references: list[dict] = [{"type": "website", "url": part.website}]
    if isinstance(part, sources.Source):
        references.append({"type": "distribution", "url": sources.MIRRORS[0] + part.path,
                           "hashes": [{"alg": "SHA-256", "content": part.sha256}]})
    return {"type": "library", "bom-ref": _reference(part), "name": part.name, "version": part.version,
            "licenses": [{"expression": part.licence}], "purl": part.purl, "externalReferences": references}
