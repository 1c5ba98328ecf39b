/** Maximum size of a row of a CSV file, which is also the maximum size of a value of PostgreSQL. */
export const maxCsvRowBytes = 1_000_000_000

/**
 * Configuration of GDAL in a child process. Files are untrusted: they must not make GDAL access the network or other
 * files, or write sidecar files.
 *
 * @see https://gdal.org/user/configoptions.html
 */
export const settings: Readonly<Record<string, string>> = {
  // A closed port, so that all requests fail at once.
  GDAL_HTTP_PROXY: 'http://127.0.0.1:9',
  GDAL_HTTP_CONNECTTIMEOUT: '1',
  GDAL_HTTP_TIMEOUT: '1',
  GDAL_HTTP_MAX_RETRY: '0',
  CPL_VSIL_CURL_ALLOWED_EXTENSIONS: '{none}',
  CPL_CURL_ENABLE_VSIMEM: 'NO',
  GML_SKIP_RESOLVE_ELEMS: 'ALL',
  GML_SKIP_CORRUPTED_FEATURES: 'NO',
  GDAL_PAM_ENABLED: 'NO',
  GDAL_DISABLE_READDIR_ON_OPEN: 'FALSE',
  OGR_SQLITE_LOAD_EXTENSIONS: 'NONE',
  // Keeps arrays and objects of GeoJSON as JSON.
  OGR_GEOJSON_ARRAY_AS_STRING: 'YES',
  // Maximum megabytes of a feature. The coastline of a large country exceeds GDAL's default of 200.
  OGR_GEOJSON_MAX_OBJ_SIZE: '1000',
  // GDAL's default is 10 MB, and it takes a longer row for the end of the file.
  OGR_CSV_MAX_LINE_SIZE: String(maxCsvRowBytes),
  // Tables need a header for their coordinates. If all cells are strings, GDAL would read the first row as values.
  OGR_XLSX_HEADERS: 'FORCE',
  OGR_ODS_HEADERS: 'FORCE',
  // Keeps unclosed rings, so that they are reported instead of dropped.
  OGR_GEOMETRY_ACCEPT_UNCLOSED_RING: 'YES',
}
