import type { FeatureExample } from './feature_difference.ts'
import type { FeatureReader, ReadFeature } from './feature_reader.ts'

/** The first features of a difference. */
export interface ExampleInput {
  readonly layerId: number
  /** Keynames of the key fields. */
  readonly key: readonly string[]
  /** Entries of the patch. */
  readonly added: readonly string[]
  readonly changed: readonly string[]
  readonly removedIds: readonly number[]
  /** New keynames of fields by their keynames on the server. */
  readonly renamed: ReadonlyMap<string, string>
}

/** Describes the first features of a difference: key, and the values that change. */
export async function describeExamples(
  reader: FeatureReader,
  { layerId, key, added, changed, removedIds, renamed }: ExampleInput,
): Promise<FeatureExample[]> {
  const news = changed.map((entry) => JSON.parse(entry) as ReadFeature)
  const old = await reader.readFeatures(layerId, [...news.map(({ id }) => id), ...removedIds])
  const byId = new Map(old.map((feature) => [feature.id, withNewNames(feature, renamed)]))
  const keyOf = ({ fields }: Pick<ReadFeature, 'fields'>) => key.map((name) => fields[name])
  const plain = { edits: [], movesGeometry: false }
  return [
    ...added.map((entry) => ({
      kind: 'added' as const,
      key: keyOf(JSON.parse(entry) as ReadFeature),
      ...plain,
    })),
    ...news.map((feature) => ({
      kind: 'changed' as const,
      key: keyOf(feature),
      ...compare(byId.get(feature.id), feature),
    })),
    ...removedIds.flatMap((id) => {
      const feature = byId.get(id)
      return feature === undefined ? [] : [{ kind: 'removed' as const, key: keyOf(feature), ...plain }]
    }),
  ]
}

function withNewNames(feature: ReadFeature, renamed: ReadonlyMap<string, string>): ReadFeature {
  if (renamed.size === 0) return feature
  const fields = Object.entries(feature.fields).map(([name, value]) => [renamed.get(name) ?? name, value])
  return { ...feature, fields: Object.fromEntries(fields) }
}

function compare(
  from: ReadFeature | undefined,
  to: ReadFeature,
): Pick<FeatureExample, 'edits' | 'movesGeometry'> {
  const edits = Object.keys(to.fields).flatMap((keyname) => {
    const edit = { keyname, from: from?.fields[keyname] ?? null, to: to.fields[keyname] ?? null }
    // The server writes large integers as strings.
    return String(edit.from) === String(edit.to) ? [] : [edit]
  })
  return { edits, movesGeometry: from === undefined || !isSameWkt(from.geom, to.geom) }
}

/** Compares WKT by type and numbers: writers differ in spaces and in the form of exponents. */
function isSameWkt(one: string | null, other: string | null): boolean {
  if (one === null || other === null) return one === other
  const [left, right] = [one, other].map((wkt) => ({
    structure: wkt.replaceAll(/[^A-Za-z(),]|e[-+]?\d+/g, '').toUpperCase(),
    numbers: (wkt.match(/-?\d[\d.]*(e[-+]?\d+)?/gi) ?? []).map(Number),
  }))
  return JSON.stringify(left) === JSON.stringify(right)
}
