import type { ReadExtensions } from '../../api/read_extensions.ts'
import type { WrittenBlock } from '../../manifest/rewrite.ts'
import type { ActualResource } from '../model/actual_tree.ts'
import { type FilePlace, folderOf, isPlain, type PulledFile } from './pulled_file.ts'

/** Descriptions and attachments of the features of a layer to pull. */
export interface PulledExtensions {
  /** Field that identifies the features; undefined if none has a different value for each of them. */
  readonly key: string | undefined
  readonly features: readonly ReadExtensions[]
}

/** Tells whether a field identifies the features with descriptions or attachments. */
export function identifies(features: readonly ReadExtensions[]): boolean {
  return features.every(({ key, same }) => key !== null && same === 1)
}

/** Lists the fields that may identify features, in their order: those whose values are the same in every format. */
export function listKeyFields({ members }: ActualResource): string[] {
  const { fields = [] } = (members.feature_layer ?? {}) as { readonly fields?: readonly Field[] }
  return fields.flatMap(({ keyname, datatype }) => (keyDatatypes.has(datatype) ? [keyname] : []))
}

interface Field {
  readonly keyname: string
  readonly datatype: string
}

const keyDatatypes: ReadonlySet<string> = new Set(['STRING', 'INTEGER', 'BIGINT'])

/** Writes `features:` of a layer, with the files that it names. */
export function writeFeatures(
  { id }: ActualResource,
  { key, features }: PulledExtensions,
  place: FilePlace,
): { readonly block: WrittenBlock; readonly files: readonly PulledFile[] } {
  const files: PulledFile[] = []
  const descriptions: Record<string, string> = {}
  const attachments: Record<string, unknown[]> = {}
  for (const feature of features) {
    const { key: value } = feature
    if (value === null) continue
    if (feature.description) descriptions[value] = feature.description
    const list = listFiles(feature, { layer: id, folder: `${folderOf(id, place)}_attachments` })
    files.push(...list.map(({ file }) => file))
    if (list.length > 0) attachments[value] = list.map(({ entry }) => entry)
  }
  const block = {
    ...(Object.keys(descriptions).length > 0 ? { descriptions } : {}),
    ...(files.length > 0 ? { attachments } : {}),
  }
  return { block: Object.keys(block).length === 0 ? {} : { features: { key, ...block } }, files }
}

function listFiles(
  { id: featureId, attachments }: ReadExtensions,
  { layer, folder }: { readonly layer: number; readonly folder: string },
) {
  const taken = new Set<string>()
  return attachments.map(({ id, name, mime_type, description }) => {
    // Names that differ by case only are one file on some systems.
    const isFileName = isPlain(name) && !taken.has(name.toLowerCase())
    const shown = isFileName ? name : `${id}`
    taken.add(shown.toLowerCase())
    const path = `${folder}/${featureId}/${shown}`
    const entry = {
      path,
      ...(isFileName ? {} : { name }),
      mime_type,
      ...(description ? { description } : {}),
    }
    return { entry, file: { kind: 'attachment', id: layer, featureId, attachmentId: id, path } as const }
  })
}
