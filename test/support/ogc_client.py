"""Checks an OGC service with other programs, and prints what they read as JSON.

Usage: ogc_client.py validate SCHEMA  (reads a document from standard input)
       ogc_client.py validate-wfs FOLDER  (reads documents as JSON from standard input)
       ogc_client.py owslib URL LAYER
       ogc_client.py owslib-features URL LAYER FILTER USER PASSWORD
       ogc_client.py qgis URI ...
       ogc_client.py qgis-features PROVIDER URI [PROVIDER URI ...]
"""

import json
import sys
import tempfile
from pathlib import Path


def validate(schema):
    from lxml import etree

    document = etree.parse(sys.stdin.buffer, etree.XMLParser(no_network=True, load_dtd=False))
    if schema.endswith(".dtd"):
        checker = etree.DTD(schema)
    else:
        checker = etree.XMLSchema(etree.parse(schema, etree.XMLParser(no_network=True)))
    checker.validate(document)
    return [f"{entry.line}: {entry.message}" for entry in checker.error_log]


def validate_wfs(folder):
    return [find_errors(folder, **one) for one in json.load(sys.stdin)]


def find_errors(folder, schemas, types, document):
    """Finds errors in a document: in its features alone if there is no schema of their collection."""
    from lxml import etree

    def parse(text):
        return etree.fromstring(text.encode(), etree.XMLParser(no_network=True, load_dtd=False))

    locations = [[namespace, f"{folder}/{path}"] for namespace, path in schemas]
    with tempfile.TemporaryDirectory() as own:
        for at, text in enumerate(types):
            path = Path(own) / f"{at}.xsd"
            path.write_text(text.replace("http://schemas.opengis.net/", f"{folder}/schemas.opengis.net/"))
            locations.append([parse(text).get("targetNamespace"), str(path)])
        schema = etree.Element("{http://www.w3.org/2001/XMLSchema}schema")
        for namespace, path in locations:
            place = {"namespace": namespace, "schemaLocation": path}
            etree.SubElement(schema, "{http://www.w3.org/2001/XMLSchema}import", place)
        try:
            checker = etree.XMLSchema(etree.fromstring(etree.tostring(schema)))
        except etree.XMLSchemaParseError as error:
            return [str(error)]
    root = parse(document)
    members = root.findall("{http://www.opengis.net/gml}featureMember/*")
    for part in [root] if any("/wfs" in namespace for namespace, _ in schemas) else members:
        checker.validate(part)
        if checker.error_log:
            return [f"{entry.line}: {entry.message}" for entry in checker.error_log]
    return [] if members or len(schemas) > 0 else ["no features"]


def owslib(url, layer):
    from owslib.wms import WebMapService
    from owslib.wmts import WebMapTileService

    found = {}
    for version in ["1.1.1", "1.3.0"]:
        wms = WebMapService(f"{url}/wms", version=version)
        # The library writes boxes with longitude first, and swaps them where the version requires it.
        view = {"layers": [layer], "srs": "EPSG:4326", "bbox": (8, 9, 28, 29), "size": (100, 100)}
        image = wms.getmap(**view, format="image/png", transparent=True)
        info = wms.getfeatureinfo(
            **view, query_layers=[layer], info_format="application/json", xy=(50, 60), feature_count=5
        )
        found[version] = {
            "title": wms.identification.title,
            "layers": list(wms.contents),
            "box": [round(edge, 3) for edge in wms[layer].boundingBoxWGS84],
            "queryable": bool(wms[layer].queryable),
            "legend": wms[layer].styles["default"]["legend"],
            "image": list(image.read()[:4]),
            "features": [feature["id"] for feature in json.loads(info.read())["features"]],
        }
    wmts = WebMapTileService(f"{url}/wmts")
    place = {"layer": layer, "tilematrixset": "GoogleMapsCompatible", "tilematrix": "3", "row": 3, "column": 4}
    found["wmts"] = {
        "layers": list(wmts.contents),
        "sets": list(wmts.tilematrixsets),
        "kvp": list(wmts.gettile(**place, format="image/png").read()[:4]),
        "resources": len(wmts[layer].resourceURLs),
    }
    return found


def owslib_features(url, layer, condition, username, password):
    from owslib.ogcapi.features import Features
    from owslib.util import Authentication
    from owslib.wfs import WebFeatureService

    account = Authentication(username=username, password=password)
    found = {}
    for version in ["1.0.0", "1.1.0", "2.0.0"]:
        wfs = WebFeatureService(f"{url}/wfs", version=version, auth=account)
        name = next(one for one in wfs.contents if one.endswith(layer))
        # The library sends no filters in version 2.
        chosen = {"bbox": (16, 48, 17, 49)} if version == "2.0.0" else {"filter": condition}
        answer = wfs.getfeature(typename=[name], outputFormat="application/json", **chosen)
        found[version] = {
            "title": wfs.contents[name].title,
            "properties": sorted(wfs.get_schema(name)["properties"])[:2],
            "names": names_of(json.loads(answer.read())),
        }
    api = Features(f"{url}/ogcapi", auth=account)
    found["api"] = {
        "collections": api.feature_collections(),
        "queryables": "people" in api.collection_queryables(layer)["properties"],
        "names": names_of(api.collection_items(layer, bbox=[10, 59, 11, 60])),
        "filtered": names_of(api.collection_items(layer, filter="people < 700000")),
    }
    return found


def names_of(collection):
    return [feature["properties"]["name"] for feature in collection["features"]]


def qgis(*uris):
    from qgis.core import QgsApplication

    application = QgsApplication([], False)
    application.initQgis()
    return [draw_with_qgis(uri) for uri in uris]


def qgis_features(*sources):
    from qgis.core import QgsApplication

    application = QgsApplication([], False)
    application.initQgis()
    return [read_with_qgis(*pair) for pair in zip(sources[::2], sources[1::2])]


def read_with_qgis(provider, uri):
    from qgis.core import QgsFeatureRequest, QgsRectangle, QgsVectorLayer

    layer = QgsVectorLayer(uri, "layer", provider)
    if not layer.isValid():
        return {"error": layer.error().summary()}
    # A box that the provider sends in the reference system of the layer.
    request = QgsFeatureRequest().setFilterRect(QgsRectangle(10, 59, 11, 60))
    return {
        "crs": layer.crs().authid(),
        # A null is no string.
        "names": sorted(one["name"] for one in layer.getFeatures() if isinstance(one["name"], str)),
        "near": [one["name"] for one in layer.getFeatures(request)],
    }


def draw_with_qgis(uri):
    from qgis.core import (
        QgsCoordinateReferenceSystem,
        QgsMapRendererParallelJob,
        QgsMapSettings,
        QgsPointXY,
        QgsRaster,
        QgsRasterLayer,
        QgsRectangle,
    )
    from qgis.PyQt.QtCore import QSize

    layer = QgsRasterLayer(uri, "layer", "wms")
    if not layer.isValid():
        return {"error": layer.error().summary()}
    extent = QgsRectangle(8, 9, 28, 29)
    settings = QgsMapSettings()
    settings.setLayers([layer])
    settings.setDestinationCrs(QgsCoordinateReferenceSystem("EPSG:4326"))
    settings.setExtent(extent)
    settings.setOutputSize(QSize(100, 100))
    job = QgsMapRendererParallelJob(settings)
    job.start()
    job.waitForFinished()
    image = job.renderedImage()
    color = image.pixelColor(20, 60)
    answer = layer.dataProvider().identify(
        QgsPointXY(18, 17), QgsRaster.IdentifyFormatText, extent, 100, 100
    )
    return {
        "color": [color.red(), color.green(), color.blue()],
        "text": list(answer.results().values()),
        "extent": [round(layer.extent().xMinimum()), round(layer.extent().yMaximum())],
    }


if __name__ == "__main__":
    commands = {
        "validate": validate,
        "validate-wfs": validate_wfs,
        "owslib": owslib,
        "owslib-features": owslib_features,
        "qgis": qgis,
        "qgis-features": qgis_features,
    }
    print(json.dumps(commands[sys.argv[1]](*sys.argv[2:])))
