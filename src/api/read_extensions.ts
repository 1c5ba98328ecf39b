import type { ExtensionCounts } from '../core/extension_counts.ts'
import { digestExtended } from '../core/extensions_digest.ts'
import { isProblem } from '../core/problem.ts'
import type { Api } from './api.ts'
import { supportsRoute } from './detect_server.ts'
import { readText } from './read_lines.ts'

/** A file attached to a feature. */
export interface ReadAttachment {
  readonly id: number
  readonly name: string
  /** Bytes. */
  readonly size: number
  readonly mime_type: string
  readonly description: string | null
  /** SHA-256, in hexadecimal. */
  readonly digest: string
}

/** A feature with a description or attachments. */
export interface ReadExtensions {
  /** Value of the key as text; null if the feature has none, or if no key was given. */
  readonly key: string | null
  /** Number of features of the layer with this key; 1 if no key was given. */
  readonly same: number
  readonly id: number
  readonly description: string | null
  readonly attachments: readonly ReadAttachment[]
}

/** Counts the descriptions and the attachments of features. */
export function countExtensions(there: readonly ReadExtensions[]): ExtensionCounts {
  return {
    descriptions: there.filter(({ description }) => description !== null).length,
    attachments: there.reduce((sum, { attachments }) => sum + attachments.length, 0),
  }
}

/** Description and attachments of a feature at some time. */
export interface FeatureState {
  readonly id: number
  /** Value of the key as text; null if the feature has none. */
  readonly key: string | null
  readonly digest: string
}

/** Digests what features of a layer have. */
export function statesOf(there: readonly ReadExtensions[]): FeatureState[] {
  return there.map((one) => ({ id: one.id, key: one.key, digest: digestExtended(one) }))
}

/** A layer, and the field that identifies its features, if any. */
export interface ExtensionsQuery {
  readonly id: number
  readonly key?: string | undefined
}

/**
 * Reads the features of a layer that have a description or attachments; null if the server does not list them, or not for
 * this account.
 *
 * @throws {Problem} http/*, auth/*
 */
export async function readExtensions(
  api: Api,
  { id, key }: ExtensionsQuery,
  signal?: AbortSignal,
): Promise<readonly ReadExtensions[] | null> {
  if (!(await supportsRoute(api, 'feature.extensions', signal))) return null
  try {
    const query = key === undefined ? {} : { key }
    const answer = await api.open('feature.extensions', { params: { id }, query, signal })
    const found = JSON.parse(await readText(answer.body)) as Omit<ReadExtensions, 'key' | 'same'>[]
    return found.map((one) => ({ key: null, same: 1, ...one }))
  } catch (error) {
    if (isProblem(error) && (error.status === 403 || error.status === 404)) return null
    throw error
  }
}
