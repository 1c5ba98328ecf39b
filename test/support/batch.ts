import { expect } from 'vitest'
import type { WireError } from './layer_client.ts'
import type { Ask, TestServer } from './server.ts'

/** What became of an operation. */
export interface WireResult {
  readonly id: number
  readonly version?: number
}

/** Why a batch was refused. */
export interface BatchError extends WireError {
  readonly data: { readonly operation?: number; readonly name?: string }
}

/** Sends batches. */
export interface BatchClient {
  send(operations: readonly object[], ask?: Ask): ReturnType<Ask>
  /** Sends what is to be done. */
  run(operations: readonly object[]): Promise<WireResult[]>
  /** Sends what is to be refused, and makes sure that the tree is as before. */
  refuse(operations: readonly object[], ask?: Ask): Promise<BatchError>
}

/** Opens a client of batches, as the administrator where nobody else is named. */
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

/** The body of a group that is to be made; the parent may be a local name. */
export const groupBody = (display_name: string, parent: number | string = 0, more: object = {}) => ({
  resource: { cls: 'resource_group', parent: { id: parent }, display_name, ...more },
})
