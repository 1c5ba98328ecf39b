import type { Api } from '../api/api.ts'
import type { Representation } from '../contract/bodies/bodies.ts'
import type { Field } from '../contract/classes/feature_layer.ts'
import type { GeometryType } from '../contract/geometry.ts'
import { findManifest, findSource, markerKeys, type SourceMarker } from '../contract/markers.ts'
import { problem } from '../contract/problems.ts'
import { hasFeatures, isCls } from '../contract/registry.ts'

/** A layer on the server that a pipeline reads or writes. */
export interface TargetLayer {
  readonly id: number
  readonly keyname: string
  /** Creation timestamp, which distinguishes the layer from one with the same id on a recreated server. */
  readonly createdAt: string | undefined
  readonly fields: readonly Field[]
  readonly geometryType: GeometryType | undefined
  /** EPSG code; undefined if the server does not report it. */
  readonly srs: number | undefined
  /** Version of the data, incremented by each change; undefined if the server does not report it. */
  readonly dataVersion: number | undefined
  readonly extensionsVersion: number | undefined
  /** Source of the last load that recorded it. */
  readonly source: SourceMarker | undefined
  /** Id of the manifest that manages the layer. */
  readonly manifest: string | undefined
}

/**
 * Finds a layer by its keyname.
 *
 * @throws {Problem} pipeline/no-layer if it does not exist or has no features
 */
export async function getLayer(api: Api, keyname: string, signal?: AbortSignal): Promise<TargetLayer> {
  const found = await api.call('resource.search', {
    query: { serialization: 'full' },
    more: [['keyname', keyname]],
    signal,
  })
  const layer = found[0] as Representation<'vector_layer'> | undefined
  if (layer === undefined)
    throw problem(
      'pipeline/no-layer',
      `Layer "${keyname}" does not exist on ${api.url}, or this account cannot read it.`,
    )
  const { cls, id, creation_date: createdAt } = layer.resource
  if (!isCls(cls) || !hasFeatures(cls))
    throw problem('pipeline/no-layer', `"${keyname}" is a ${cls}, which has no features.`)
  return {
    id,
    keyname,
    createdAt,
    fields: layer.feature_layer?.fields ?? [],
    geometryType: layer.vector_layer?.geometry_type,
    srs: layer.vector_layer?.srs?.id,
    dataVersion: layer.vector_layer?.data_version,
    extensionsVersion: layer.vector_layer?.extensions_version,
    source: findSource(layer.resmeta?.items?.[markerKeys.source]),
    manifest: findManifest(id, layer.resmeta?.items),
  }
}

/**
 * Rejects a layer whose data a manifest loads: manifest and pipeline would overwrite each other.
 *
 * @throws {Problem} data/managed
 */
export function refuseManifestData({ id, keyname, manifest, source }: TargetLayer): void {
  if (manifest === undefined || source === undefined || source.pipeline) return
  const message = `The manifest "${manifest}" loads the data of "${keyname}" with data:. Nothing was loaded.`
  throw problem('data/managed', message, {
    hint: `Load the layer in one place only: change the source in the manifest and apply it, or remove data: from the manifest and run the pipeline once with --take ${keyname}.`,
    resource: id,
    data: { layer: keyname, manifest },
  })
}

/** Counts the features of a layer. */
export async function countFeatures(api: Api, id: number, signal?: AbortSignal): Promise<number> {
  const { total_count } = await api.call('feature.count', { params: { id }, signal })
  return total_count
}
