// Printed from the contract by `npm run docs`. Do not edit.

/** A pipeline, as in its file. */
export type ImportPipeline = {
  /** Name of the pipeline. */
  readonly pipeline: string
  /** Description of the pipeline. */
  readonly description?: string
  readonly from: {
    /** File to read, relative to the folder of the pipeline. */
    readonly file: string
    /** Format of a CSV file. */
    readonly csv?: {
      /** Column separator. */
      readonly separator?: string
      /** Quote character; null if quotes are part of the values. */
      readonly quote?: string | null
      /** Decimal separator of coordinates and of fields with the datatype REAL. Thousands separators are invalid. */
      readonly decimal?: "." | ","
      /** Column names, if the file has no header line. */
      readonly columns?: readonly (string)[]
    }
    /** Columns with the geometry. */
    readonly geometry?: {
      /** Column of the longitude, in degrees. */
      readonly longitude: string
      /** Column of the latitude, in degrees. */
      readonly latitude: string
    } | {
      /** Column of the geometry, as WKT in EPSG:4326. */
      readonly wkt: string
    }
    /** Encoding of the strings, for formats that do not declare it, such as CP1251; UTF-8 by default. */
    readonly encoding?: string
    /** Column of each field of the layer; defaults to the columns with the names of the fields. */
    readonly fields?: { readonly [name: string]: string }
    /** Layer of the source to load; required if the source has several. */
    readonly source_layer?: string
  }
  /** Checks of the rows; rows that fail are quarantined. */
  readonly check?: {
    /** Checks by field of the layer. */
    readonly fields?: { readonly [name: string]: {
      /** Whether empty values are invalid. */
      readonly required?: boolean
      /** Whether a value that an earlier valid row has is invalid; empty values may repeat. */
      readonly unique?: boolean
      /** Minimum value. */
      readonly minimum?: number
      /** Maximum value. */
      readonly maximum?: number
      /** Regular expression that a string must match. */
      readonly pattern?: string
      /** Allowed values. */
      readonly values?: readonly (string)[]
    } }
    /** West, south, east and north, in degrees; points outside are invalid. */
    readonly bbox?: readonly (number)[]
    /** Limits of the number of rows. */
    readonly rows?: {
      /** Minimum number of rows. */
      readonly minimum?: number
      /** Maximum number of rows. */
      readonly maximum?: number
    }
  }
  /** File and limit of bad rows. */
  readonly quarantine?: {
    /** File for bad rows, relative to the folder of the pipeline. */
    readonly file?: string
    /** Maximum number of bad rows, or their maximum share of all rows: 0.5%. */
    readonly limit?: number | string
  }
  readonly to: {
    /** Layer to load into, by keyname. */
    readonly layer: string
    /** Load mode: replace replaces all features, sync changes those that differ from the source and keeps the ids of the others; both atomically. */
    readonly mode?: "replace" | "sync"
    /** Field that identifies a feature in the source and on the server, or several; only with mode sync. */
    readonly key?: string | readonly (string)[]
    /** Allow a load that deletes more than 10 % of the features, all values of a field, or attachments. */
    readonly allow_loss?: boolean
  }
}

/** A pipeline, as in its file. */
export type ExportPipeline = {
  /** Name of the pipeline. */
  readonly pipeline: string
  /** Description of the pipeline. */
  readonly description?: string
  readonly from: {
    /** Layers to export, by keyname. */
    readonly layers: readonly (string)[]
  }
  readonly to: {
    /** Folder for the files, relative to the folder of the pipeline. */
    readonly folder: string
    /** Format of the files. */
    readonly format?: "GeoJSON"
  }
}

/** Result of a run for a layer. */
export type RunLayer = {
  /** Keyname of the layer. */
  readonly layer: string
  /** Number of rows or features read. */
  readonly read: number
  /** Number of rows loaded, or of features exported. */
  readonly loaded: number
  /** Number of rows or features that were there already. */
  readonly unchanged: number
  /** Number of bad rows, which were not loaded. */
  readonly quarantined: number
  /** SHA-256 of the source with its options, or of the exported file. */
  readonly digest: string
  /** Version of the data of the layer after the run. */
  readonly data_version?: number
  /** Path of the exported file. */
  readonly file?: string
  /** Path of the file with the bad rows. */
  readonly quarantine_file?: string
}
