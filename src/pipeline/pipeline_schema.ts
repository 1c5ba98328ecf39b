import { extname } from 'node:path'
import type { Static } from 'typebox'
import { encodedSourceTitles } from '../contract/source_formats.ts'
import { Type } from '../contract/type.ts'

const closed = { additionalProperties: false } as const

const CsvSchema = Type.Object(
  {
    separator: Type.Optional(
      Type.String({ minLength: 1, maxLength: 1, default: ',', description: 'Character between columns.' }),
    ),
    quote: Type.Optional(
      Type.Union([Type.String({ minLength: 1, maxLength: 1 }), Type.Null()], {
        default: '"',
        description: 'Character around values; null where quotes are plain text.',
      }),
    ),
    columns: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        minItems: 1,
        uniqueItems: true,
        description: 'Names of the columns, where the file has no header line.',
      }),
    ),
  },
  { ...closed, description: 'How a table of text is written.' },
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
  { description: 'Where the geometry of a row stands.' },
)

const FromFileSchema = Type.Object(
  {
    file: Type.String({ minLength: 1, description: 'File to read, from the folder of the pipeline.' }),
    csv: Type.Optional(CsvSchema),
    geometry: Type.Optional(GeometrySchema),
    fields: Type.Optional(
      Type.Record(Type.String(), Type.String({ minLength: 1 }), {
        description: 'Column by field of the layer; fields and columns of the same name where absent.',
      }),
    ),
    source_layer: Type.Optional(
      Type.String({ minLength: 1, description: 'Layer of the file, where it has several.' }),
    ),
    encoding: Type.Optional(
      Type.String({
        minLength: 1,
        description: `Character encoding of ${encodedSourceTitles}, if the file does not declare it; tables of text are in UTF-8.`,
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

/** What a value of a field has to be. */
const FieldCheckSchema = Type.Object(
  {
    required: Type.Optional(
      Type.Boolean({ default: false, description: 'Whether an empty value is a fault.' }),
    ),
    minimum: Type.Optional(Type.Number({ description: 'Smallest number.' })),
    maximum: Type.Optional(Type.Number({ description: 'Largest number.' })),
    pattern: Type.Optional(
      Type.String({ format: 'regex', description: 'Regular expression that a string must match.' }),
    ),
    values: Type.Optional(Type.Array(Type.String(), { minItems: 1, description: 'Words that are allowed.' })),
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
        description: 'West, south, east and north, in degrees: points outside are faults.',
      }),
    ),
    rows: Type.Optional(
      Type.Object(
        {
          minimum: Type.Optional(Type.Integer({ minimum: 0, description: 'Fewest rows.' })),
          maximum: Type.Optional(Type.Integer({ minimum: 0, description: 'Most rows.' })),
        },
        { ...closed, description: 'How many rows a source has.' },
      ),
    ),
  },
  { ...closed, description: 'What rows have to be; a row that is not goes to the quarantine.' },
)

const QuarantineSchema = Type.Object(
  {
    file: Type.Optional(
      Type.String({ minLength: 1, description: 'File for bad rows, from the folder of the pipeline.' }),
    ),
    limit: Type.Optional(
      Type.Union([Type.Integer({ minimum: 0 }), Type.String({ pattern: '^[0-9]+(\\.[0-9]+)?%$' })], {
        default: 0,
        description: 'Most bad rows, as a number or as a part of the rows: 0.5%.',
      }),
    ),
  },
  { ...closed, description: 'Where bad rows go, and how many of them fail the run.' },
)

const head = {
  pipeline: Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9_.-]*$', description: 'Name of the pipeline.' }),
  description: Type.Optional(Type.String({ description: 'What it is for.' })),
}

/** A pipeline that fills a layer from a file. */
export const ImportSchema = Type.Object(
  {
    ...head,
    from: FromFileSchema,
    check: Type.Optional(CheckSchema),
    quarantine: Type.Optional(QuarantineSchema),
    to: Type.Object(
      {
        layer: Type.String({ minLength: 1, description: 'Layer to fill, by keyname.' }),
        mode: Type.Optional(
          Type.Unsafe<'replace'>({
            type: 'string',
            enum: ['replace'],
            default: 'replace',
            description: 'Replace: the rows take the place of all features, at once or not at all.',
          }),
        ),
        allow_loss: Type.Optional(
          Type.Boolean({
            default: false,
            description:
              'Load even a source that takes away more than 10 % of the features or all values of a field.',
          }),
        ),
      },
      closed,
    ),
  },
  closed,
)

/** A pipeline that writes layers into files. */
export const ExportSchema = Type.Object(
  {
    ...head,
    from: FromLayersSchema,
    to: Type.Object(
      {
        folder: Type.String({
          minLength: 1,
          description: 'Folder for the files, from the folder of the pipeline.',
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

/** A pipeline that fills a layer from a file, as written. */
export type ImportPipeline = Static<typeof ImportSchema>

const tableExtensions = ['.csv', '.tsv', '.txt']

/** Whether the file of a pipeline is a table of text, which is read and checked row by row. */
export function isTable({ csv, file }: Pick<ImportPipeline['from'], 'csv' | 'file'>): boolean {
  return csv !== undefined || tableExtensions.includes(extname(file).toLowerCase())
}

/** A pipeline that writes layers into files, as written. */
export type ExportPipeline = Static<typeof ExportSchema>

/** What rows have to be, as written. */
export type Check = Static<typeof CheckSchema>

/** How a table of text is written. */
export type CsvOptions = Static<typeof CsvSchema>

/** Where the geometry of a row stands. */
export type GeometryColumns = Static<typeof GeometrySchema>

/** A named flow of data, as written, and the folder its paths start from. */
export type Pipeline = (
  | ({ readonly kind: 'import' } & ImportPipeline)
  | ({ readonly kind: 'export' } & ExportPipeline)
) & {
  /** Absolute path of the folder of the file. */
  readonly folder: string
}

/** JSON Schema of a pipeline file; it stands on its own. */
export function pipelineSchema(): object {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'landform pipeline',
    description: 'A named flow of data: from a file into a layer, or from layers into files.',
    type: 'object',
    required: ['pipeline', 'from', 'to'],
    anyOf: [ImportSchema, ExportSchema],
  }
}
