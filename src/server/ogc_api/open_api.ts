import { problem } from '../../contract/problems.ts'
import type { ogcApiRoutes } from '../../contract/routes/ogc_api.ts'
import { findHint } from '../../core/suggest.ts'
import type { Collection, FeatureApi } from '../../ogc/features_api/feature_api.ts'
import type { ApiRequest } from '../http/handler.ts'
import { readDescriptions } from '../resource/description.ts'
import { openPublishedLayers } from '../wfs/published_service.ts'

/** A request to the OGC API of a service. */
export type OgcApiRequest = Pick<
  ApiRequest<keyof typeof ogcApiRoutes>,
  'context' | 'caller' | 'url' | 'params' | 'headers' | 'signal' | 'dialect'
>

/**
 * Reads a service as the caller sees it: with the layers that the caller may read.
 *
 * @throws {Problem} resource/not-found, access/denied
 */
export async function openApi(request: OgcApiRequest): Promise<FeatureApi> {
  const { title, layers } = await openPublishedLayers(request, request.params.id)
  const [url = ''] = /^.*?\/ogcapi(?=[/?#]|$)/.exec(request.url) ?? []
  const { announcedSystems: systems } = request.context
  return {
    ...{ title, url, systems },
    collections: layers.map(({ keyname, displayName, layer, maxFeatures }) => ({
      id: keyname,
      title: displayName,
      ...{ layer, systems, maxFeatures },
    })),
  }
}

/** Adds the descriptions that the caller may read. */
export async function withDescriptions(request: OgcApiRequest, api: FeatureApi): Promise<FeatureApi> {
  const { id } = request.params
  const ids = api.collections.map(({ layer }) => layer.resourceId)
  const texts = await readDescriptions(request, [id, ...ids])
  const collections = api.collections.map((collection) => ({
    ...collection,
    description: texts.get(collection.layer.resourceId),
  }))
  return { ...api, description: texts.get(id), collections }
}

/**
 * Finds a collection by its id.
 *
 * @throws {Problem} request/not-found
 */
export function findCollection({ collections }: FeatureApi, id: string): Collection {
  const found = collections.find((collection) => collection.id === id)
  if (found !== undefined) return found
  const hint = findHint(
    id,
    collections.map((collection) => collection.id),
  )
  throw problem('request/not-found', `The service has no collection "${id.slice(0, 80)}".`, { hint })
}
