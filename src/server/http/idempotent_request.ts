import { createHash, randomBytes } from 'node:crypto'
import { keyHeader, keyPattern, replayedHeader, retentionHours } from '../../contract/idempotency.ts'
import { problem } from '../../contract/problems.ts'
import { isProblem, type Problem } from '../../core/problem.ts'
import type { Queryable } from '../../database/database.ts'
import {
  type Claim,
  claimKey,
  findKey,
  type KeyRecord,
  releaseClaim,
  storeAnswer,
  touchClaim,
} from '../../store/auth/idempotency_key.ts'
import type { Caller } from '../auth/caller.ts'
import type { ServerContext } from '../context.ts'
import type { Answer } from './handler.ts'

/** Sees to it that what a request creates is created once, however often the request comes under one key. */
export interface Once {
  /** Whether the request has a key. */
  readonly isKeyed: boolean
  /**
   * Begins the work, with all that the request consists of. Gives the answer where it is done already.
   *
   * @throws {Problem} request/in-flight, request/key-reused, request/answer-lost
   */
  begin(content: unknown): Promise<Answer | undefined>
  /**
   * Keeps the answer, in the transaction that does the work: neither is there without the other.
   *
   * @throws {Problem} request/in-flight where somebody else has taken the work over
   */
  keep(tx: Queryable, json: unknown): Promise<void>
  /** Ends the attempt. Where it failed nothing was done, and the key may come again. */
  end(isDone: boolean): Promise<void>
}

/** A request without a key is done as often as it comes. */
export const unkeyed: Once = {
  isKeyed: false,
  begin: async () => undefined,
  keep: async () => undefined,
  end: async () => undefined,
}

/** What says which request it is, beside its content. */
export interface KeyedRequest {
  readonly context: ServerContext
  readonly caller: Caller
  readonly key: string
  /** Method and address. */
  readonly target: string
  /** Members of the answer that are shown once: they are not kept, and a repeated request is refused. */
  readonly secretNames: readonly string[]
}

/**
 * Reads the key of a request.
 *
 * @throws {Problem} request/bad-header
 */
export function readKey(header: string | readonly string[] | undefined): string | undefined {
  if (header === undefined) return undefined
  if (typeof header === 'string' && new RegExp(keyPattern).test(header)) return header
  throw problem(
    'request/bad-header',
    `The header ${keyHeader} takes 1 to 255 visible ASCII characters, got "${header}".`,
  )
}

/** How often an attempt says that it is at work, and after which silence it counts as dead. */
const touchMs = 5000
const timeoutSeconds = 30

/** Longest answer that is kept, in characters. */
const longestAnswer = 8 * 2 ** 20

/** Makes what a request under a key is done once by. */
export function createOnce(request: KeyedRequest): Once {
  const { context, caller, key, target, secretNames } = request
  const { database, secrets, instance, log } = context
  const mine: Claim = { userId: caller.id, key, claim: randomBytes(16).toString('hex') }
  let timer: NodeJS.Timeout | undefined
  const warn = (error: unknown) => log.warn({ error }, 'the key of a request could not be written')
  return {
    isKeyed: true,
    begin: async (content) => {
      const print = fingerprint([target, content])
      const sealed = secrets.seal(print, placeOf(mine, 'request'))
      const silence = database.driver === 'pglite' ? undefined : timeoutSeconds
      const wanted = { ...mine, instance, request: sealed, retentionHours, timeoutSeconds: silence }
      if (await claimKey(database, wanted)) {
        timer = setInterval(() => void touchClaim(database, mine).catch(warn), touchMs).unref()
        return undefined
      }
      const found = await findKey(database, mine)
      // The other attempt has just failed.
      if (found === undefined) throw inFlight()
      return answerAgain(context, mine, { found, print, secretNames })
    },
    keep: async (tx, json) => {
      const text = JSON.stringify(withoutSecrets(secretNames, json))
      const kept = text.length > longestAnswer ? '' : text
      if (!(await storeAnswer(tx, mine, secrets.seal(kept, placeOf(mine, 'answer'))))) throw inFlight()
    },
    end: async (isDone) => {
      if (timer === undefined) return
      clearInterval(timer)
      // It may have failed after its transaction: the statement spares what has an answer.
      if (!isDone) await releaseClaim(database, mine).catch(warn)
    },
  }
}

function fingerprint(request: unknown): string {
  return createHash('sha256').update(JSON.stringify(request)).digest('hex')
}

function placeOf({ userId, key }: Claim, column: string): string {
  return `idempotency_key.${column}:${userId}:${key}`
}

interface Earlier {
  readonly found: KeyRecord
  /** What tells this request from others. */
  readonly print: string
  readonly secretNames: readonly string[]
}

function answerAgain(
  { secrets }: ServerContext,
  claim: Claim,
  { found, print, secretNames }: Earlier,
): Answer {
  try {
    if (secrets.open(found.request, placeOf(claim, 'request')) !== print) throw reused()
    if (found.answer === null) throw inFlight()
    const text = secrets.open(found.answer, placeOf(claim, 'answer'))
    if (text === '') throw lost('is too long to be kept')
    const json = JSON.parse(text)
    if (secretNames.length > 0) throw shownOnce(secretNames, json)
    return { json, headers: { 'cache-control': 'no-store', [replayedHeader]: 'true' } }
  } catch (error) {
    throw isProblem(error, 'secret/unreadable') ? lost('was sealed with another key of the server') : error
  }
}

/** Seconds after which a client may look again. */
const retrySeconds = 1

function inFlight(): Problem {
  return problem('request/in-flight', 'The same request is being done at this moment.', {
    data: { retry_after: retrySeconds },
  })
}

function reused(): Problem {
  return problem('request/key-reused', `Another request has come under this ${keyHeader} before.`)
}

function shownOnce(secretNames: readonly string[], answer: unknown): Problem {
  const names = secretNames.map((name) => `"${name}"`).join(', ')
  return problem('request/answer-lost', `The request is done, but its answer shows ${names} only once.`, {
    hint: 'Delete what it has made, and send the request under another key.',
    data: { answer: withoutSecrets(secretNames, answer) },
  })
}

function withoutSecrets(secretNames: readonly string[], answer: unknown): unknown {
  if (secretNames.length === 0) return answer
  const fields = Object.entries(answer as object)
  return Object.fromEntries(fields.filter(([name]) => !secretNames.includes(name)))
}

function lost(why: string): Problem {
  return problem('request/answer-lost', `The request is done, but its answer ${why}.`)
}
