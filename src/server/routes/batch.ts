import { isResourceId } from '../../contract/limits.ts'
import { problem } from '../../contract/problems.ts'
import { dataClsNames } from '../../contract/registry.ts'
import type { batchRoutes } from '../../contract/routes/batch.ts'
import type { Queryable } from '../../database/database.ts'
import { type BatchEffects, completeEntry } from '../../store/journal/journal.ts'
import { type OperationResult, runBatch } from '../batch/batch.ts'
import { readPreparation } from '../batch/preparation.ts'
import { behaviourOf } from '../classes/behaviours.ts'
import type { ApiRequest, Handlers } from '../http/handler.ts'
import { invalidAt } from '../http/invalid_request.ts'
import { parseCls } from '../resource/read_members.ts'

/** Operations for batches and the sources prepared for them. */
export const batchHandlers: Handlers<keyof typeof batchRoutes> = {
  'resource.batch': async (request) => {
    const { operations, journal } = request.body
    const keep = async (tx: Queryable, results: readonly OperationResult[]) => {
      if (journal !== undefined) await completeJournal(tx, request, results)
      await request.idempotency.store(tx, { results })
    }
    return { json: { results: await runBatch(request, operations, keep) } }
  },

  'source.prepare': async (request) => {
    const { context, caller, body, signal, idempotency } = request
    const cls = parseCls(body.cls)
    const { source: sourceType } = behaviourOf(cls)
    if (sourceType === undefined)
      throw invalidAt(
        '/cls',
        `cannot prepare a source for ${body.cls}, only for ${dataClsNames.join(' and ')}`,
      )
    const members = await readPreparation(request, cls)
    const source = await sourceType.read({ context, caller, id: body.id, members, signal })
    if (source === undefined) throw invalidAt(`/${cls}/source`, 'missing field "source"')
    try {
      return {
        json: await context.database.transaction(async (tx) => {
          const answer = await source.keep(tx)
          await idempotency.store(tx, answer)
          return answer
        }),
      }
    } catch (error) {
      await source.discard()
      throw error
    }
  },

  'source.discard': async ({ context: { database }, caller, params }) => {
    const prepared = { id: params.uid, userId: caller.id }
    for (const cls of dataClsNames)
      if (await behaviourOf(cls).source?.drop(database, prepared)) return { json: {} }
    throw problem('source/not-prepared', `prepared source "${params.uid}" does not exist`)
  },
}

/** Records that the changes of a journal entry are applied. */
async function completeJournal(
  tx: Queryable,
  { body, caller }: ApiRequest<'resource.batch'>,
  results: readonly OperationResult[],
): Promise<void> {
  const { operations, journal } = body
  if (journal === undefined) return
  const created: BatchEffects['created'][number][] = []
  const touched: BatchEffects['touched'][number][] = []
  for (const [at, { id, version }] of results.entries()) {
    const { op, name: key } = operations[at] ?? {}
    if (op !== 'create') touched.push({ id, version })
    else if (key !== undefined) created.push({ key, id, version })
  }
  const isOpen =
    isResourceId(journal) &&
    (await completeEntry(tx, { id: journal, userId: caller.id }, { created, touched }))
  if (!isOpen)
    throw invalidAt(
      '/journal',
      `entry ${journal} is not an unfinished entry of the caller`,
      'Begin a new one.',
    )
}
