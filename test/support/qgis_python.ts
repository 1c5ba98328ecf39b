/** Python with the modules of QGIS: that of the system, for which Debian has them. */
export const qgisPython = process.env.LANDFORM_QGIS_PYTHON ?? '/usr/bin/python3'
