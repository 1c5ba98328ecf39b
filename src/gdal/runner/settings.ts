/**
 * How GDAL runs in a child process: files come from strangers, so nothing in them makes it reach the network or other
 * files, and nothing it makes lies beside them.
 *
 * @see https://gdal.org/user/configoptions.html
 */
export const settings: Readonly<Record<string, string>> = {
  // A port where nobody listens: whatever asks for an address fails at once.
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
  // Lists and objects of GeoJSON stay JSON.
  OGR_GEOJSON_ARRAY_AS_STRING: 'YES',
  // Megabytes that one feature may take while it is read: the coast of a large country takes more than GDAL's 200.
  OGR_GEOJSON_MAX_OBJ_SIZE: '1000',
  // A table without headers has no coordinates: where all cells are texts, GDAL would take the first row for values.
  OGR_XLSX_HEADERS: 'FORCE',
  OGR_ODS_HEADERS: 'FORCE',
  // A ring that is not closed is to be told, not dropped.
  OGR_GEOMETRY_ACCEPT_UNCLOSED_RING: 'YES',
}
