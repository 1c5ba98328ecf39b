import { loadedSrs } from '../../contract/geometry.ts'
import { dataOf } from '../../contract/registry.ts'
import type { ActualResource } from '../model/actual_tree.ts'
import { slugOf } from './slug.ts'

/** A file that a pulled manifest names. */
export type PulledFile = {
  /** Path, relative to the manifest. */
  readonly path: string
} & (
  | { readonly kind: 'features' | 'raster' /** Id of the layer. */; readonly id: number }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'form'; readonly id: number }
  | { readonly kind: 'file'; readonly id: number /** Path in the bucket. */; readonly name: string }
  | {
      readonly kind: 'attachment'
      /** Id of the layer. */
      readonly id: number
      readonly featureId: number
      readonly attachmentId: number
    }
)

/** The folder of the files of a manifest, and the key of the resource. */
export interface FilePlace {
  readonly folder: string
  readonly key: string
}

/**
 * Names the file of the data of a layer: a GeoPackage, which keeps datatypes and coordinates, or the original file of a
 * raster. Undefined if no layer with this reference system can be created from a file.
 */
export function findDataFile(resource: ActualResource, place: FilePlace): PulledFile | undefined {
  const { id, cls, members } = resource
  const path = folderOf(id, place)
  if (dataOf(cls)?.content !== 'features') return { kind: 'raster', id, path: `${path}.tif` }
  const srs = (members[cls]?.srs as { readonly id: number } | undefined)?.id
  return srs === loadedSrs ? { kind: 'features', id, path: `${path}.gpkg` } : undefined
}

/** Names the file of a style: with QML, SLD, or XML of MapServer. */
export function textFile(
  { id, cls }: ActualResource,
  place: FilePlace & { readonly text: string },
): PulledFile {
  const extension = place.text.includes('<StyledLayerDescriptor') ? 'sld' : (extensions[cls] ?? 'txt')
  return { kind: 'text', path: `${folderOf(id, place)}.${extension}`, text: place.text }
}

const extensions: Readonly<Record<string, string>> = { desk_vector_style: 'qml', mapsrv_style: 'xml' }

/** Names a file or folder after the key, or after its letters and the id if a key is not a file name everywhere. */
export const folderOf = (id: number, { folder, key }: FilePlace) =>
  `${folder}/${isPlain(key) ? key : `${slugOf(key) || 'resource'}_${id}`}`

/** Tells whether a name can be the name of a file on every system. */
export const isPlain = (key: string) => /^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(key)
