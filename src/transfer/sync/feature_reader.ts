import type { Api } from '../../api/api.ts'
import { supportsRoute } from '../../api/detect_server.ts'
import { type ReadExtensions, readExtensions } from '../../api/read_extensions.ts'
import { readText } from '../../api/read_lines.ts'
import { FeatureDigests } from './feature_digests.ts'

/** Fields of a layer that features are compared by. */
export interface DigestQuery {
  /** Id of the layer. */
  readonly id: number
  /** Keynames of the fields that identify a feature. */
  readonly key: readonly string[]
  /** Keynames of the compared fields, in order. */
  readonly fields: readonly string[]
}

/** A feature as the server returns it. */
export interface ReadFeature {
  readonly id: number
  /** WKT. */
  readonly geom: string | null
  readonly fields: Readonly<Record<string, unknown>>
}

/** Reads the features that a source is compared with. */
export interface FeatureReader {
  /** Reads the digests of all features of a layer; undefined if the server does not compute digests. */
  readDigests(query: DigestQuery): Promise<FeatureDigests | undefined>
  /** Reads a few features. */
  readFeatures(id: number, featureIds: readonly number[]): Promise<readonly ReadFeature[]>
  /** Reads the features of a layer with a description or attachments; null if the server does not list them. */
  readExtensions(id: number): Promise<readonly ReadExtensions[] | null>
}

/** Returns a reader of the features of a server. Its functions throw http/*, auth/*. */
export function featureReader(api: Api, signal: AbortSignal | undefined): FeatureReader {
  return {
    async readDigests({ id, key, fields }) {
      if (!(await supportsRoute(api, 'feature.digest', signal))) return undefined
      const query = { key: [...key], fields: [...fields] }
      const answer = await api.open('feature.digest', { params: { id }, query, signal })
      return new FeatureDigests(JSON.parse(await readText(answer.body)) as string[])
    },
    async readFeatures(id, featureIds) {
      if (featureIds.length === 0) return []
      const query = { dt_format: 'iso' as const, extensions: [] }
      const more = [['id__in', featureIds.join(',')]] as const
      const answer = await api.open('feature.list', { params: { id }, query, more, signal })
      return JSON.parse(await readText(answer.body)) as ReadFeature[]
    },
    readExtensions: (id) => readExtensions(api, { id }, signal),
  }
}
