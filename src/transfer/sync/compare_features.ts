import { countExtensions, statesOf } from '../../api/read_extensions.ts'
import { type GeometryType, geometryParts } from '../../contract/geometry.ts'
import { problem } from '../../contract/problems.ts'
import { findHint } from '../../core/suggest.ts'
import type { RowSet } from '../../gdal/read_vector.ts'
import type { RowLayout, SourceSummary, WantedFields } from '../../gdal/runner/vector_job.ts'
import { countKeys, type KeyCounter, type KeyFaults } from '../count_keys.ts'
import { type ReadableSource, scanSource } from '../read_source.ts'
import { describeExamples } from './describe_examples.ts'
import type { FeatureDifference, KeptFeatures } from './feature_difference.ts'
import { maxExamples } from './feature_difference.ts'
import { FeatureDigests } from './feature_digests.ts'
import { FeaturePatch } from './feature_patch.ts'
import type { FeatureReader } from './feature_reader.ts'
import { readAhead } from './read_ahead.ts'
import { RowDigester } from './row_digest.ts'
import {
  leadingValues,
  type RowField,
  readValueRows,
  type ValueRow,
  valueText,
  writeEntry,
} from './row_entry.ts'
import { type ConvertGeometry, convertToTarget } from './target_geometry.ts'
import { keyRow, rowOfValues } from './text_key.ts'

/** A field of a layer. `was` is its keyname on the server, if it is renamed. */
export type TargetField = WantedFields['fields'][number] & { readonly was?: string }

/** A layer that a source is compared with. */
export interface SyncTarget {
  readonly id: number
  /** EPSG code. */
  readonly srs: number
  readonly geometryType: GeometryType
  readonly fields: readonly TargetField[]
}

/** A comparison of a source with a layer. */
export interface SyncQuestion {
  readonly source: Omit<ReadableSource, 'geometryType' | 'declared'>
  readonly target: SyncTarget
  /** Keynames of the fields that identify a feature. */
  readonly key: readonly string[]
  /** Keys of rows that are left out of the source because they are bad, as text; undefined for a key that cannot be read. */
  readonly badKeys?: readonly (readonly string[] | undefined)[]
  /** Fields after the synchronization; absent if the layer also gets the other fields of the source. */
  readonly finalFields?: readonly TargetField[] | undefined
}

/** Result of a comparison. */
export interface SyncResult {
  readonly difference: FeatureDifference
  /** Number of features of the layer. */
  readonly before: number
  /** Number of features of the source. */
  readonly after: number
  readonly summary: SourceSummary
  /** Keynames of the fields of the layer after the synchronization that the source does not have. */
  readonly lackingFields: readonly string[]
  /** Faults of the keys that were looked for; absent if it is not known which features have them. */
  readonly keyFaults?: KeyFaults
}

/**
 * Compares the features of a source with those of a layer by key, and writes the changes that make the layer equal to the
 * source. Features of the layer without a key, or with that of an earlier feature, are removed; those of bad rows are kept.
 *
 * @returns undefined if the server does not compute digests
 * @throws {Problem} source/*, gdal/*, data/key, http/*
 */
export async function compareFeatures(
  reader: FeatureReader,
  question: SyncQuestion,
): Promise<SyncResult | undefined> {
  const { source, target, key } = question
  const fields = listFinalFields(question)
  const known = new Set(fields.map(({ keyname }) => keyname))
  const compared = target.fields.filter(({ keyname }) => known.has(keyname))
  requireKey(key, compared)
  const reading = reader.readDigests({
    id: target.id,
    key: key.map((name) => keynameOnServer(compared, name)),
    fields: compared.map(({ was, keyname }) => was ?? keyname),
  })
  // Awaited while the source is read.
  reading.catch(() => undefined)
  let scan: FeatureScan | undefined
  const { geometryType, srs } = target
  const keepsOthers = question.finalFields === undefined && source.options.keep_fields !== true
  const summary = await scanSource(
    { ...source, geometryType },
    {
      srs,
      wanted: { fields, keepsOthers },
      key,
      async take(rows) {
        scan = await scanRows(rows, reading, { question, fields, compared })
      },
    },
  )
  const digests = await reading
  if (digests === undefined) return undefined
  if (scan === undefined) throw problem('source/unreadable', `"${source.path}" has no features.`)
  return finish(reader, { question, digests, summary, scan })
}

/** Compares the rows with the digests of the server, once they are there. */
async function scanRows(
  { layout, copies }: RowSet,
  reading: Promise<FeatureDigests | undefined>,
  input: Omit<ScanInput, 'digests' | 'layout'>,
): Promise<FeatureScan> {
  const ahead = readAhead(copies, reading)
  const first = await ahead.next()
  const digests = (await reading) ?? new FeatureDigests([])
  const scan = new FeatureScan({ ...input, layout, digests })
  const width = leadingValues + layout.fields.length
  const add = (row: ValueRow) => {
    scan.add(row)
    scan.keyCounter?.add(row)
  }
  if (!first.done) await readValueRows(first.value, width, add)
  for await (const copy of ahead) await readValueRows(copy, width, add)
  return scan
}

/** Returns the keyname that a field has on the server. */
export function keynameOnServer(
  fields: readonly Pick<TargetField, 'keyname' | 'was'>[],
  name: string,
): string {
  return fields.find(({ keyname }) => keyname === name)?.was ?? name
}

function listFinalFields({ target, finalFields }: SyncQuestion): readonly TargetField[] {
  return finalFields ?? target.fields
}

function requireKey(key: readonly string[], fields: readonly TargetField[]): void {
  const names = fields.map(({ keyname }) => keyname)
  const missing = key.find((name) => !names.includes(name))
  if (missing === undefined) return
  const hint = findHint(missing, names)
  throw problem('data/key', `The layer has no field "${missing}".`, hint === undefined ? {} : { hint })
}

interface ScanInput {
  readonly layout: RowLayout
  readonly question: SyncQuestion
  readonly fields: readonly TargetField[]
  readonly compared: readonly TargetField[]
  readonly digests: FeatureDigests
}

/** Compares rows with digests while they are read. */
class FeatureScan {
  readonly patch = new FeaturePatch()
  /** The first added and changed features, as entries of the patch. */
  readonly added: string[] = []
  readonly changed: string[] = []
  /** Number of features kept for bad rows. */
  kept = 0
  readonly counts = { added: 0, changed: 0, unchanged: 0 }
  readonly newFields: RowLayout['fields']
  readonly missingFields: readonly string[]
  readonly lackingFields: readonly string[]
  readonly geometryType: GeometryType
  readonly keyCounter: KeyCounter | undefined
  readonly #digests: FeatureDigests
  readonly #addedKeys = new Set<string>()
  readonly #written: readonly RowField[]
  readonly #new: readonly RowField[]
  readonly #key: readonly RowField[]
  readonly #keyDigester: RowDigester
  readonly #rowDigester: RowDigester
  /** Present if the geometry type of the layer changes. */
  readonly #convert: ConvertGeometry | undefined

  constructor({ layout, question, fields, compared, digests }: ScanInput) {
    const columns = new Map(layout.keynames.map((keyname, column) => [keyname, column]))
    const place = ({ keyname, datatype }: TargetField): RowField => ({
      keyname,
      datatype,
      column: columns.get(keyname) ?? -1,
    })
    const known = new Set(fields.map(({ keyname }) => keyname))
    const standing = new Set(compared.map(({ keyname }) => keyname))
    const others = layout.fields.flatMap(({ datatype }, column) => {
      const keyname = layout.keynames[column] ?? ''
      return known.has(keyname) ? [] : [{ keyname, datatype, column }]
    })
    this.newFields = others.map(({ keyname, datatype }) => ({ name: keyname, datatype }))
    const listMissing = (list: readonly TargetField[]) =>
      list.flatMap(({ keyname }) => (columns.has(keyname) ? [] : [keyname]))
    this.missingFields = listMissing(compared)
    this.lackingFields = listMissing(fields)
    this.geometryType = layout.geometryType
    const { target } = question
    this.#convert = layout.geometryType === target.geometryType ? undefined : convertToTarget(target)
    const { keys } = question.source
    this.keyCounter = keys && countKeys(layout, keys, fields)
    this.#digests = digests
    this.#written = [...fields.map(place), ...others]
    this.#new = this.#written.filter(({ keyname, column }) => column >= 0 && !standing.has(keyname))
    this.#key = question.key.map((name) =>
      place(compared.find(({ keyname }) => keyname === name) as TargetField),
    )
    this.#keyDigester = new RowDigester(this.#key)
    this.#rowDigester = new RowDigester(['geometry', ...compared.map(place)])
    const missing = this.#key.find(({ column }) => column < 0)
    if (missing !== undefined) throw problem('data/key', `The source has no field "${missing.keyname}".`)
  }

  /** @throws {Problem} data/key if the row has no key, or that of an earlier row */
  add(row: ValueRow): void {
    for (const { column, keyname } of this.#key)
      if ((row.lengths[leadingValues + column] ?? -1) < 0)
        throw keyProblem(`A feature of the source has no value in the key field "${keyname}".`)
    const content = this.#rowDigester.digest(row, this.#convert?.(row))
    const found = this.#digests.findNext(content) ?? this.#findByKey(row)
    if (found !== undefined) this.#digests.take(found)
    if (found === undefined) this.#write(row, 'added')
    else if (this.#digests.hasContent(found, content) && !this.#fillsNew(row)) this.counts.unchanged += 1
    else this.#write(row, 'changed', this.#digests.idOf(found))
  }

  /** Finds the feature with the key of a row. */
  #findByKey(row: ValueRow): number | undefined {
    const key = this.#keyDigester.digest(row)
    const found = this.#digests.find(key)
    const isRepeated = found === undefined ? this.#addedKeys.has(key) : this.#digests.isTaken(found)
    if (isRepeated) {
      const values = this.#key.map((field) => `${field.keyname} ${valueText(row, field)}`)
      throw keyProblem(`Several features of the source have the key ${values.join(', ')}.`)
    }
    if (found === undefined) this.#addedKeys.add(key)
    return found
  }

  /** Keeps the feature with the key of a bad row. Returns false if the key cannot be read. */
  keepText(texts: readonly string[] | undefined): boolean {
    const row = texts && keyRow(texts, this.#key)
    if (row === undefined) return false
    this.keep(row)
    return true
  }

  /** Keeps the feature with the key of a bad row, whose columns are those of the key. */
  keep(row: ValueRow): void {
    const key = new RowDigester(this.#key.map(({ datatype }, column) => ({ datatype, column }))).digest(row)
    const found = this.#digests.find(key)
    if (found === undefined || this.#digests.isTaken(found)) return
    this.#digests.take(found)
    this.kept += 1
  }

  /** Tells whether a row has a value in a field that the layer does not have yet. */
  #fillsNew({ lengths }: ValueRow): boolean {
    return this.#new.some(({ column }) => (lengths[leadingValues + column] ?? -1) >= 0)
  }

  #write(row: ValueRow, kind: 'added' | 'changed', id?: number): void {
    const entry = writeEntry(row, this.#written, id)
    this.patch.add(entry)
    this.counts[kind] += 1
    if (this[kind].length < maxExamples) this[kind].push(entry)
  }
}

function keyProblem(message: string) {
  return problem('data/key', message, {
    hint: 'Choose key fields whose values identify each feature, or correct the source.',
  })
}

interface Finished {
  readonly question: SyncQuestion
  readonly digests: FeatureDigests
  readonly summary: SourceSummary
  readonly scan: FeatureScan
}

async function finish(
  reader: FeatureReader,
  { question, digests, summary, scan }: Finished,
): Promise<SyncResult> {
  const { target, key } = question
  const { geometryType, patch, counts, newFields, missingFields } = scan
  requireFamily(target.geometryType, geometryType)
  const { removed, kept } = findRemoved({ question, digests, summary, scan })
  for (const id of removed) patch.add(`{"id":${id},"delete":true}`)
  const removedIds = removed.slice(0, maxExamples)
  const examples = await describeExamples(reader, {
    ...scan,
    ...{ removedIds, layerId: target.id, key },
    renamed: new Map(
      target.fields.flatMap(({ keyname, was }) => (was === undefined ? [] : [[was, keyname]])),
    ),
  })
  const difference = {
    ...counts,
    ...(kept === undefined ? {} : { kept }),
    removed: removed.length,
    ...(await readRemoved(reader, target.id, removed)),
    newFields,
    missingFields,
    ...(geometryType === target.geometryType ? {} : { geometryType }),
    examples,
    patch,
  }
  const keyFaults = scan.keyCounter === undefined ? {} : { keyFaults: scan.keyCounter.find() }
  const { lackingFields } = scan
  return { difference, before: digests.count, after: summary.rowCount, summary, lackingFields, ...keyFaults }
}

/**
 * Finds the features that only the layer has. Features of bad rows are not among them: those with their keys, and all if the key of
 * any bad row is unknown.
 */
function findRemoved({ question: { badKeys = [] }, digests, summary, scan }: Finished): {
  readonly removed: readonly number[]
  readonly kept: KeptFeatures | undefined
} {
  const { values, texts } = summary.badKeys
  for (const key of values) scan.keep(rowOfValues(key.map((value) => Buffer.from(value, 'base64'))))
  const unreadTexts = [...badKeys, ...texts].filter((key) => !scan.keepText(key)).length
  const unreadKeys = unreadTexts + summary.badCount - values.length - texts.length
  const others = digests.listOthers()
  if (unreadKeys > 0 && others.length > 0)
    return { removed: [], kept: { count: scan.kept + others.length, unreadKeys } }
  return { removed: others, kept: scan.kept > 0 ? { count: scan.kept, unreadKeys: 0 } : undefined }
}

/** Reads the descriptions and attachments of features with one request, however many there are. */
async function readRemoved(
  reader: FeatureReader,
  layer: number,
  removed: readonly number[],
): Promise<Pick<FeatureDifference, 'removedExtensions' | 'states'>> {
  const there = removed.length === 0 ? null : await reader.readExtensions(layer)
  const ids = new Set(removed)
  const removedExtensions = countExtensions((there ?? []).filter(({ id }) => ids.has(id)))
  return { removedExtensions, ...(there === null ? {} : { states: statesOf(there) }) }
}

/** Styles, maps and clients of a layer depend on its geometry family. */
function requireFamily(layer: GeometryType, source: GeometryType): void {
  if (geometryParts(layer).family === geometryParts(source).family) return
  throw problem('source/unreadable', `The layer has geometry type ${layer}, the source ${source}.`, {
    hint: 'Load the source into another layer, or select geometries with cast_geometry_type.',
    data: { source_geometry: source },
  })
}
