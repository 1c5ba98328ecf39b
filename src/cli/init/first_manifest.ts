import { type GeometryType, geometryParts } from '../../contract/geometry.ts'
import type { WrittenBlock, WrittenManifest } from '../../manifest/rewrite.ts'
import { createKeyMaker, slugOf } from '../../reconcile/pull/slug.ts'

/** A layer to write. */
export interface FirstLayer {
  /** Path of the data file, relative to the manifest. */
  readonly source: string
  /** Layer of the file, if it has several. */
  readonly layer?: string | undefined
  readonly displayName: string
  readonly isRaster: boolean
  /** Undefined if not known. */
  readonly geometryType?: GeometryType | undefined
}

/** What a first manifest describes. */
export interface FirstTree {
  /** Display name of the group. */
  readonly name: string
  readonly layers: readonly FirstLayer[]
  /** Start of all keys, so that they differ from those of other manifests; empty for none. */
  readonly prefix: string
  /** Whether to write a web map of the layers. */
  readonly hasMap: boolean
  /** Whether everybody may see all of it, signed in or not. */
  readonly isPublic: boolean
}

/** What people need to see layers and maps: scope and permission. */
const publicPermissions = [
  ['resource', 'read'],
  ['metadata', 'read'],
  ['datastruct', 'read'],
  ['data', 'read'],
  ['webmap', 'display'],
  ['service', 'connect'],
] as const

/** Describes a group below the root of the tree, with a layer and a style for each file, and a web map of them. */
export function firstManifest({ name, prefix, layers, hasMap, isPublic }: FirstTree): WrittenManifest {
  const keys = createKeyMaker((key) => key === 'root')
  const group = keys.make(`${prefix}${name}`, 'maps')
  const placed = layers.map((layer) => {
    const key = keys.make(`${prefix}${layer.displayName}`, 'layer')
    return { ...layer, key, styleKey: keys.make(`${key}_style`, 'style') }
  })
  const children: Record<string, WrittenBlock> = Object.fromEntries(
    placed.map((layer) => [layer.key, layerBlock(layer)]),
  )
  if (hasMap && placed.length > 0) children[keys.make(`${group}_map`, 'map')] = mapBlock(name, placed)
  const block = {
    ...{ cls: 'resource_group', display_name: name, children },
    ...(isPublic
      ? { permissions: publicPermissions.map(([scope, permission]) => publicRule(scope, permission, true)) }
      : {}),
  }
  const root = {
    ...{ existing: true, id: 0, children: { [group]: block } },
    ...(isPublic ? { permissions: { include: [publicRule('resource', 'read', false)] } } : {}),
  }
  return { manifest: slugOf(name) || 'maps', resources: { root } }
}

const publicRule = (scope: string, permission: string, propagate: boolean) => ({
  ...{ action: 'allow', principal: 'everyone', scope, permission, propagate },
})

interface PlacedLayer extends FirstLayer {
  readonly key: string
  readonly styleKey: string
}

function layerBlock({ source, layer, displayName, isRaster, styleKey }: PlacedLayer): WrittenBlock {
  const cls = isRaster ? 'raster_style' : 'mapsrv_style'
  return {
    cls: isRaster ? 'raster_layer' : 'vector_layer',
    display_name: displayName,
    data: { source, ...(layer === undefined ? {} : { source_layer: layer }) },
    children: { [styleKey]: { cls, display_name: `${displayName}, default` } },
  }
}

const families = ['POINT', 'LINESTRING', 'POLYGON']

/** Returns the place of a layer in a map, from the top: what covers least is drawn last. */
function rankOf({ isRaster, geometryType }: FirstLayer): number {
  if (isRaster) return families.length
  return geometryType === undefined ? 0 : families.indexOf(geometryParts(geometryType).family)
}

// The first item of a web map is drawn on top.
function mapBlock(name: string, layers: readonly PlacedLayer[]): WrittenBlock {
  const ordered = layers.toSorted((one, other) => rankOf(one) - rankOf(other))
  const children = ordered.map(({ displayName, styleKey }) => ({
    ...{ item_type: 'layer', display_name: displayName, layer_style_id: styleKey },
  }))
  return {
    ...{ cls: 'webmap', display_name: `${name}, map` },
    webmap: { root_item: { item_type: 'root', children } },
  }
}
