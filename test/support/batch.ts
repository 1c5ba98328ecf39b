import { expect } from 'vitest'
import type { WireError } from './layer_client.ts'
import type { Ask, TestServer } from './server.ts'

/** Result of an operation. */
export interface WireResult {
  readonly id: number
  readonly version?: number
}

/** Error response of a refused batch. */
export interface BatchError extends WireError {
  readonly data: { readonly operation?: number; readonly name?: string }
}

/** A client for batches. */
export interface BatchClient {
  send(operations: readonly object[], ask?: Ask): ReturnType<Ask>
  /** Sends a batch and expects success. */
  run(operations: readonly object[]): Promise<WireResult[]>
  /** Sends a batch, expects an error, and checks that the tree is unchanged. */
  refuse(operations: readonly object[], ask?: Ask): Promise<BatchError>
}

/** Creates a client for batches, as the administrator by default. */
export function openBatchClient({ admin }: TestServer): BatchClient {
  const tree = async () => (await admin('GET', '/api/resource/search/?serialization=full')).json<object[]>()
  const send = (operations: readonly object[], ask = admin) =>
    ask('POST', '/api/component/landform/batch', { operations })
  return {
    send,
    async run(operations) {
      const answer = await send(operations)
      const read = await answer.json<{ results: WireResult[] }>()
      expect(answer.status, JSON.stringify(read)).toBe(200)
      return read.results
    },
    async refuse(operations, ask = admin) {
      const before = await tree()
      const answer = await send(operations, ask)
      const read = await answer.json<BatchError>()
      expect(answer.status, JSON.stringify(read)).toBeGreaterThanOrEqual(400)
      expect(await tree()).toEqual(before)
      return { ...read, status: answer.status }
    },
  }
}

/** Body of the creation of a group; the parent may be a local name. */
export const groupBody = (display_name: string, parent: number | string = 0, more: object = {}) => ({
  resource: { cls: 'resource_group', parent: { id: parent }, display_name, ...more },
})
