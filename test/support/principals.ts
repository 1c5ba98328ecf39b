import type { GroupAnswer, UserAnswer } from '../../src/contract/principal.ts'
import type { Ask, TestResponse } from './server.ts'

const auth = '/api/component/auth'

/** Path of the users. */
export const usersPath = `${auth}/user/`
/** Path of the groups. */
export const groupsPath = `${auth}/group/`
/** Path of the current user. */
export const mePath = `${auth}/current_user`
/** Path of the tokens. */
export const tokensPath = '/api/component/landform/token/'

/** Creates a user through the API, with the password `goodPassword`, and returns its id. */
export function addUser(ask: Ask, keyname: string, more: Record<string, unknown> = {}): Promise<number> {
  return idOf(ask('POST', usersPath, { keyname, password: goodPassword, ...more }))
}

/** Password of the users that `addUser` creates. */
export const goodPassword = 'a good password'

/** Creates a group through the API and returns its id. */
export function addGroup(ask: Ask, keyname: string, members: readonly number[] = []): Promise<number> {
  return idOf(ask('POST', groupsPath, { keyname, members }))
}

/** Reads a user. */
export async function readUser(ask: Ask, id: number): Promise<Required<UserAnswer>> {
  return (await ask('GET', usersPath + id)).json()
}

/** Reads a group. */
export async function readGroup(ask: Ask, id: number): Promise<Required<GroupAnswer>> {
  return (await ask('GET', groupsPath + id)).json()
}

/** Logs in and returns the session cookie, as sent back by a browser. */
export async function logIn(ask: Ask, login: string, password: string): Promise<string> {
  const answer = await ask('POST', `${auth}/login`, { login, password })
  const cookie = answer.headers.get('set-cookie')?.split(';', 1)[0]
  if (answer.status !== 200 || cookie === undefined) throw new Error(await answer.text())
  return cookie
}

/** Returns the keyname of the user that headers authenticate, or the error code. */
export async function whoIs(ask: Ask, headers: Record<string, string>): Promise<string> {
  const body = await (await ask('GET', mePath, undefined, headers)).json<{
    keyname?: string
    code?: string
  }>()
  return body.keyname ?? body.code ?? 'nothing'
}

/**
 * Makes twelve guesses concurrently: five are answered, the others have to wait. On a busy machine the first delay of
 * one second may be over before the last guess arrives.
 */
export async function guessConcurrently(guess: (at: number) => Promise<TestResponse>): Promise<void> {
  const answers = await Promise.all(Array.from({ length: 12 }, (_, at) => guess(at)))
  const answered = answers.filter(({ status }) => status === 401)
  const delayed = answers.filter(({ status }) => status === 429)
  const waits = delayed.map(({ headers }) => Number(headers.get('retry-after')))
  if (
    answered.length < 5 ||
    answered.length > 8 ||
    !waits.every((seconds) => seconds > 0) ||
    waits.length === 0
  )
    throw new Error(`${answered.length} guesses were answered, the others have to wait ${waits}`)
}

async function idOf(answer: Promise<TestResponse>): Promise<number> {
  const { status, body } = {
    status: (await answer).status,
    body: await (await answer).json<{ id: number }>(),
  }
  if (status !== 200) throw new Error(JSON.stringify(body))
  return body.id
}
