#!/usr/bin/python3
"""kube-shape -- checks that YAML documents conform to the Kubernetes API: each field is known and
has its type, and no required field is missing. The types are those of Debian's
python3-kubernetes, generated from the OpenAPI description of the API.

    kube-shape.py FILE...     prints a line for each fault, with its path, and exits with 1
"""
import re
import sys

import yaml
from kubernetes import client
from kubernetes.client.configuration import Configuration

PLAIN = {"str": str, "int": int, "bool": bool, "float": (int, float), "object": object}
faults = []


def model(kind, version):
    """Returns the class of a kind and version, such as V1StatefulSet for StatefulSet and
    apps/v1."""
    return getattr(client, version.split("/")[-1].capitalize() + kind, None)


def check_object(value, shape, path):
    """Checks an object against the model class `shape`."""
    fields = {json: name for name, json in shape.attribute_map.items()}
    for key, inner in value.items():
        if key in fields:
            check(inner, shape.openapi_types[fields[key]], f"{path}.{key}")
        else:
            faults.append(f"{path}.{key}: there is no such field")
    known = {fields[key]: inner for key, inner in value.items() if key in fields}
    try:
        shape(**known, local_vars_configuration=Configuration())
    except ValueError as e:
        faults.append(f"{path}: {e}")


def check(value, kind, path):
    """Checks a value against a type's name: V1PodSpec, list[V1Container], dict(str, str), str."""
    if value is None:
        faults.append(f"{path}: null")
    elif found := re.fullmatch(r"list\[(.*)\]", kind):
        if not isinstance(value, list):
            faults.append(f"{path}: expected a list")
        else:
            for i, item in enumerate(value):
                check(item, found[1], f"{path}[{i}]")
    elif found := re.fullmatch(r"dict\(str, (.*)\)", kind):
        if not isinstance(value, dict):
            faults.append(f"{path}: expected an object")
        else:
            for key, item in value.items():
                check(item, found[1], f"{path}.{key}")
    elif kind in PLAIN:
        wrong = isinstance(value, bool) and kind in ("int", "float")
        if wrong or not isinstance(value, PLAIN[kind]):
            faults.append(f"{path}: expected {kind}, found {type(value).__name__}")
    elif hasattr(client, kind) and isinstance(value, dict):
        check_object(value, getattr(client, kind), path)
    else:
        faults.append(f"{path}: expected an object")


def main(paths):
    for path in paths:
        with open(path, encoding="utf-8") as file:
            for document in filter(None, yaml.safe_load_all(file)):
                kind = str(document.get("kind"))
                shape = model(kind, str(document.get("apiVersion")))
                if shape is None:
                    faults.append(f"{path}: {kind}: there is no such kind")
                else:
                    check_object(document, shape, f"{path}: {kind}")
    print("\n".join(faults), end="\n" if faults else "")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
