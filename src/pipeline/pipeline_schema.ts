import { extname } from 'node:path'
import type { Static } from 'typebox'
import { FeatureKeySchema } from '../contract/feature_key.ts'
import { Type } from '../contract/schema/type.ts'

const closed = { additionalProperties: false } as const

const CsvSchema = Type.Object(
  {
    separator: Type.Optional(
      Type.String({ minLength: 1, maxLength: 1, default: ',', description: 'Column separator.' }),
    ),
    quote: Type.Optional(
      Type.Union([Type.String({ minLength: 1, maxLength: 1 }), Type.Null()], {
        default: '"',
        description: 'Quote character; null if quotes are part of the values.',
      }),
    ),
    decimal: Type.Optional(
      Type.Unsafe<'.' | ','>({
        type: 'string',
        enum: ['.', ','],
        default: '.',
        description:
          'Decimal separator of coordinates and of fields with the datatype REAL. Thousands separators are invalid.',
      }),
    ),
    columns: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        minItems: 1,
        uniqueItems: true,
        description: 'Column names, if the file has no header line.',
      }),
    ),
  },
  { ...closed, description: 'Format of a CSV file.' },
)

const GeometrySchema = Type.Union(
  [
    Type.Object(
      {
        longitude: Type.String({ minLength: 1, description: 'Column of the longitude, in degrees.' }),
        latitude: Type.String({ minLength: 1, description: 'Column of the latitude, in degrees.' }),
      },
      closed,
    ),
    Type.Object(
      { wkt: Type.String({ minLength: 1, description: 'Column of the geometry, as WKT in EPSG:4326.' }) },
      closed,
    ),
  ],
  { description: 'Columns with the geometry.' },
)

const FromFileSchema = Type.Object(
  {
    file: Type.String({ minLength: 1, description: 'File to read, relative to the folder of the pipeline.' }),
    csv: Type.Optional(CsvSchema),
    geometry: Type.Optional(GeometrySchema),
    encoding: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'Encoding of the strings, for formats that do not declare it, such as CP1251; UTF-8 by default.',
      }),
    ),
    fields: Type.Optional(
      Type.Record(Type.String(), Type.String({ minLength: 1 }), {
        description:
          'Column of each field of the layer; defaults to the columns with the names of the fields.',
      }),
    ),
    source_layer: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'Layer of the source to load; required if the source has several.',
      }),
    ),
  },
  closed,
)

const FromLayersSchema = Type.Object(
  {
    layers: Type.Array(Type.String({ minLength: 1 }), {
      minItems: 1,
      uniqueItems: true,
      description: 'Layers to export, by keyname.',
    }),
  },
  closed,
)

/** Checks of the values of a field. */
const FieldCheckSchema = Type.Object(
  {
    required: Type.Optional(
      Type.Boolean({ default: false, description: 'Whether empty values are invalid.' }),
    ),
    unique: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Whether a value that an earlier valid row has is invalid; empty values may repeat.',
      }),
    ),
    minimum: Type.Optional(Type.Number({ description: 'Minimum value.' })),
    maximum: Type.Optional(Type.Number({ description: 'Maximum value.' })),
    pattern: Type.Optional(
      Type.String({ format: 'regex', description: 'Regular expression that a string must match.' }),
    ),
    values: Type.Optional(Type.Array(Type.String(), { minItems: 1, description: 'Allowed values.' })),
  },
  closed,
)

const CheckSchema = Type.Object(
  {
    fields: Type.Optional(
      Type.Record(Type.String(), FieldCheckSchema, { description: 'Checks by field of the layer.' }),
    ),
    bbox: Type.Optional(
      Type.Array(Type.Number(), {
        minItems: 4,
        maxItems: 4,
        description: 'West, south, east and north, in degrees; points outside are invalid.',
      }),
    ),
    rows: Type.Optional(
      Type.Object(
        {
          minimum: Type.Optional(Type.Integer({ minimum: 0, description: 'Minimum number of rows.' })),
          maximum: Type.Optional(Type.Integer({ minimum: 0, description: 'Maximum number of rows.' })),
        },
        { ...closed, description: 'Limits of the number of rows.' },
      ),
    ),
  },
  { ...closed, description: 'Checks of the rows; rows that fail are quarantined.' },
)

const QuarantineSchema = Type.Object(
  {
    file: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'File for bad rows, relative to the folder of the pipeline.',
      }),
    ),
    limit: Type.Optional(
      Type.Union([Type.Integer({ minimum: 0 }), Type.String({ pattern: '^[0-9]+(\\.[0-9]+)?%$' })], {
        default: 0,
        description: 'Maximum number of bad rows, or their maximum share of all rows: 0.5%.',
      }),
    ),
  },
  { ...closed, description: 'File and limit of bad rows.' },
)

const head = {
  pipeline: Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9_.-]*$', description: 'Name of the pipeline.' }),
  description: Type.Optional(Type.String({ description: 'Description of the pipeline.' })),
}

/** A pipeline that loads a file into a layer. */
export const ImportSchema = Type.Object(
  {
    ...head,
    from: FromFileSchema,
    check: Type.Optional(CheckSchema),
    quarantine: Type.Optional(QuarantineSchema),
    to: Type.Object(
      {
        layer: Type.String({ minLength: 1, description: 'Layer to load into, by keyname.' }),
        mode: Type.Optional(
          Type.Unsafe<'replace' | 'sync'>({
            type: 'string',
            enum: ['replace', 'sync'],
            default: 'replace',
            description:
              'Load mode: replace replaces all features, sync changes those that differ from the source and keeps the ids of the others; both atomically.',
          }),
        ),
        key: Type.Optional(FeatureKeySchema),
        allow_loss: Type.Optional(
          Type.Boolean({
            default: false,
            description:
              'Allow a load that deletes more than 10 % of the features, all values of a field, or attachments.',
          }),
        ),
      },
      closed,
    ),
  },
  closed,
)

/** A pipeline that exports layers to files. */
export const ExportSchema = Type.Object(
  {
    ...head,
    from: FromLayersSchema,
    to: Type.Object(
      {
        folder: Type.String({
          minLength: 1,
          description: 'Folder for the files, relative to the folder of the pipeline.',
        }),
        format: Type.Optional(
          Type.Unsafe<'GeoJSON'>({
            type: 'string',
            enum: ['GeoJSON'],
            default: 'GeoJSON',
            description: 'Format of the files.',
          }),
        ),
      },
      closed,
    ),
  },
  closed,
)

/** A pipeline that loads a file into a layer, as in its file. */
export type ImportPipeline = Static<typeof ImportSchema>

const tableExtensions = ['.csv', '.tsv', '.txt']

/** Whether the file of a pipeline is a table of text, which is read and checked row by row. */
export function isTable({ csv, file }: Pick<ImportPipeline['from'], 'csv' | 'file'>): boolean {
  return csv !== undefined || tableExtensions.includes(extname(file).toLowerCase())
}

/** A pipeline that exports layers to files, as in its file. */
export type ExportPipeline = Static<typeof ExportSchema>

/** Checks of the rows of a source. */
export type Check = Static<typeof CheckSchema>

/** Format options of a CSV file. */
export type CsvOptions = Static<typeof CsvSchema>

/** Columns with the geometry of a row. */
export type GeometryColumns = Static<typeof GeometrySchema>

/** Schemas of the definitions of pipelines, by the name of their type. */
export const pipelineSchemas = { ImportPipeline: ImportSchema, ExportPipeline: ExportSchema } as const

/** A pipeline as in its file. */
export type PipelineDefinition = ImportPipeline | ExportPipeline

/** A pipeline as in its file, and the folder to which its paths are relative. */
export type Pipeline = (
  | ({ readonly kind: 'import' } & ImportPipeline)
  | ({ readonly kind: 'export' } & ExportPipeline)
) & {
  /** Absolute path of the folder of the pipeline file. */
  readonly folder: string
}

/** Returns the self-contained JSON Schema of a pipeline file. */
export function pipelineSchema(): object {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'landform pipeline',
    description: 'A named flow of data: from a file to a layer, or from layers to files.',
    type: 'object',
    required: ['pipeline', 'from', 'to'],
    anyOf: [ImportSchema, ExportSchema],
  }
}
