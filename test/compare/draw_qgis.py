"""Draws styles with QGIS. Reads jobs as JSON from stdin: files of data, style and image, box, size and background."""

import json
import os
import sys

os.environ["QT_QPA_PLATFORM"] = "offscreen"

from qgis.core import (  # noqa: E402
    Qgis,
    QgsApplication,
    QgsCoordinateReferenceSystem,
    QgsLabelingEngineSettings,
    QgsMapRendererSequentialJob,
    QgsMapSettings,
    QgsRectangle,
    QgsVectorLayer,
    QgsVectorSimplifyMethod,
)
from qgis.PyQt.QtCore import QSize  # noqa: E402
from qgis.PyQt.QtGui import QColor, QFontDatabase  # noqa: E402


def open_layer(job):
    layer = QgsVectorLayer(job["data"], "layer", "ogr")
    if not layer.isValid():
        raise ValueError("invalid layer " + job["data"])
    message, is_loaded = layer.loadNamedStyle(job["style"])
    if not is_loaded:
        raise ValueError(job["style"] + ": " + message)
    layer.setCrs(QgsCoordinateReferenceSystem("EPSG:3857"))
    method = layer.simplifyMethod()
    method.setSimplifyHints(QgsVectorSimplifyMethod.NoSimplification)
    layer.setSimplifyMethod(method)
    return layer


def draw(job):
    layer = open_layer(job)
    settings = QgsMapSettings()
    settings.setLayers([layer])
    settings.setDestinationCrs(QgsCoordinateReferenceSystem("EPSG:3857"))
    settings.setOutputDpi(96)
    settings.setOutputSize(QSize(job["width"], job["height"]))
    settings.setExtent(QgsRectangle(*job["box"]))
    settings.setBackgroundColor(QColor(*job["background"]))
    for flag in ("Antialiasing", "UseAdvancedEffects", "DrawLabeling"):
        settings.setFlag(getattr(QgsMapSettings, flag), True)
    # Labels that leave the image are not drawn.
    engine = settings.labelingEngineSettings()
    engine.setFlag(QgsLabelingEngineSettings.UsePartialCandidates, False)
    settings.setLabelingEngineSettings(engine)
    renderer = QgsMapRendererSequentialJob(settings)
    renderer.start()
    renderer.waitForFinished()
    if not renderer.renderedImage().save(job["image"]):
        raise ValueError("cannot write " + job["image"])


def main():
    application = QgsApplication([], False)
    application.initQgis()
    request = json.load(sys.stdin)
    for font in request["fonts"]:
        if QFontDatabase.addApplicationFont(font) < 0:
            raise ValueError("cannot read " + font)
    for job in request["jobs"]:
        draw(job)
    print(Qgis.QGIS_VERSION)
    application.exitQgis()


main()
