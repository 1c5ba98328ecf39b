import { createHash, randomBytes } from 'node:crypto'
import { keyHeader, keyPattern, replayedHeader, retentionHours } from '../../contract/bodies/idempotency.ts'
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

/** Executes a request with an idempotency key once, however often it is sent. */
export interface Idempotency {
  /** Whether the request has a key. */
  readonly isKeyed: boolean
  /**
   * Claims the key for a request with this content. Returns the stored response if the request was already completed.
   *
   * @throws {Problem} request/in-flight, request/key-reused, request/answer-lost
   */
  begin(content: unknown): Promise<Answer | undefined>
  /**
   * Stores the response in the transaction that does the work, so that both commit or neither does.
   *
   * @throws {Problem} request/in-flight if another attempt has claimed the key in the meantime
   */
  store(tx: Queryable, json: unknown): Promise<void>
  /** Ends the attempt. Releases the key if the attempt failed. */
  end(isDone: boolean): Promise<void>
}

/** Handling of a request without a key: it is executed every time. */
export const unkeyed: Idempotency = {
  isKeyed: false,
  begin: async () => undefined,
  store: async () => undefined,
  end: async () => undefined,
}

/** Identity of a request with a key, except its content. */
export interface KeyedRequest {
  readonly context: ServerContext
  readonly caller: Caller
  readonly key: string
  /** Method and URL. */
  readonly target: string
  /** Members of the response that are secret: they are not stored, so that a repeated request fails. */
  readonly secretNames: readonly string[]
}

/**
 * Parses the idempotency key header of a request.
 *
 * @throws {Problem} request/bad-header
 */
export function parseKey(header: string | readonly string[] | undefined): string | undefined {
  if (header === undefined) return undefined
  if (typeof header === 'string' && new RegExp(keyPattern).test(header)) return header
  throw problem(
    'request/bad-header',
    `Header ${keyHeader} must have 1 to 255 visible ASCII characters, got "${header}".`,
  )
}

/** Interval of the heartbeat of a running attempt, and time without one after which it counts as dead. */
const touchMs = 5000
const timeoutSeconds = 30

/** Maximum length of a stored response, in characters. */
const maxAnswerLength = 8 * 2 ** 20

/** Creates the idempotency handling of a request with a key. */
export function createIdempotency(request: KeyedRequest): Idempotency {
  const { context, caller, key, target, secretNames } = request
  const { database, secrets, instance, log } = context
  const claim: Claim = { userId: caller.id, key, claim: randomBytes(16).toString('hex') }
  let timer: NodeJS.Timeout | undefined
  const warn = (error: unknown) => log.warn({ error }, 'cannot update an idempotency key')
  return {
    isKeyed: true,
    begin: async (content) => {
      const digest = digestOf([target, content])
      const sealed = secrets.seal(digest, placeOf(claim, 'request'))
      const claimTimeout = database.driver === 'pglite' ? undefined : timeoutSeconds
      const wanted = { ...claim, instance, request: sealed, retentionHours, timeoutSeconds: claimTimeout }
      if (await claimKey(database, wanted)) {
        timer = setInterval(() => void touchClaim(database, claim).catch(warn), touchMs).unref()
        return undefined
      }
      const found = await findKey(database, claim)
      // The other attempt has just failed and released the key.
      if (found === undefined) throw inFlight()
      return replayAnswer(context, claim, { found, digest, secretNames })
    },
    store: async (tx, json) => {
      const text = JSON.stringify(withoutSecrets(secretNames, json))
      const stored = text.length > maxAnswerLength ? '' : text
      if (!(await storeAnswer(tx, claim, secrets.seal(stored, placeOf(claim, 'answer'))))) throw inFlight()
    },
    end: async (isDone) => {
      if (timer === undefined) return
      clearInterval(timer)
      // An attempt may fail after its transaction; keys with a stored response are not released.
      if (!isDone) await releaseClaim(database, claim).catch(warn)
    },
  }
}

function digestOf(request: unknown): string {
  return createHash('sha256').update(JSON.stringify(request)).digest('hex')
}

function placeOf({ userId, key }: Claim, column: string): string {
  return `idempotency_key.${column}:${userId}:${key}`
}

interface EarlierRequest {
  readonly found: KeyRecord
  /** Digest of the present request. */
  readonly digest: string
  readonly secretNames: readonly string[]
}

function replayAnswer(
  { secrets }: ServerContext,
  claim: Claim,
  { found, digest, secretNames }: EarlierRequest,
): Answer {
  try {
    if (secrets.open(found.request, placeOf(claim, 'request')) !== digest) throw reused()
    if (found.answer === null) throw inFlight()
    const text = secrets.open(found.answer, placeOf(claim, 'answer'))
    if (text === '') throw lost('was too large to store')
    const json = JSON.parse(text)
    if (secretNames.length > 0) throw shownOnce(secretNames, json)
    return { json, headers: { 'cache-control': 'no-store', [replayedHeader]: 'true' } }
  } catch (error) {
    throw isProblem(error, 'secret/unreadable')
      ? lost('was encrypted with another secret key of the server')
      : error
  }
}

/** Seconds after which a client may retry. */
const retrySeconds = 1

function inFlight(): Problem {
  return problem('request/in-flight', 'The same request is still being processed.', {
    data: { retry_after: retrySeconds },
  })
}

function reused(): Problem {
  return problem('request/key-reused', `A different request has already used this ${keyHeader}.`)
}

function shownOnce(secretNames: readonly string[], answer: unknown): Problem {
  const names = secretNames.map((name) => `"${name}"`).join(', ')
  return problem(
    'request/answer-lost',
    `The request was completed before, but ${names} is returned only once.`,
    {
      hint: 'Delete what the request created and send it with a new key.',
      data: { answer: withoutSecrets(secretNames, answer) },
    },
  )
}

function withoutSecrets(secretNames: readonly string[], answer: unknown): unknown {
  if (secretNames.length === 0) return answer
  const fields = Object.entries(answer as object)
  return Object.fromEntries(fields.filter(([name]) => !secretNames.includes(name)))
}

function lost(why: string): Problem {
  return problem('request/answer-lost', `The request was completed before, but its response ${why}.`)
}
