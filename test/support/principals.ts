import type { GroupAnswer, UserAnswer } from '../../src/contract/principal.ts'
import type { Ask, TestResponse } from './server.ts'

const auth = '/api/component/auth'

/** Where users are. */
export const usersPath = `${auth}/user/`
/** Where groups are. */
export const groupsPath = `${auth}/group/`
/** Who asks. */
export const mePath = `${auth}/current_user`
/** Where tokens are. */
export const tokensPath = '/api/component/landform/token/'

/** Creates a user through the API, with the password `a good password`, and gives its id. */
export function addUser(ask: Ask, keyname: string, more: Record<string, unknown> = {}): Promise<number> {
  return idOf(ask('POST', usersPath, { keyname, password: goodPassword, ...more }))
}

/** Password of every user that `addUser` makes. */
export const goodPassword = 'a good password'

/** Creates a group through the API and gives its id. */
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

/** Logs in and gives the cookie, as a browser sends it back. */
export async function logIn(ask: Ask, login: string, password: string): Promise<string> {
  const answer = await ask('POST', `${auth}/login`, { login, password })
  const cookie = answer.headers.get('set-cookie')?.split(';', 1)[0]
  if (answer.status !== 200 || cookie === undefined) throw new Error(await answer.text())
  return cookie
}

/** Asks who a cookie or header stands for; the keyname, or the code of the failure. */
export async function whoIs(ask: Ask, headers: Record<string, string>): Promise<string> {
  const body = await (await ask('GET', mePath, undefined, headers)).json<{
    keyname?: string
    code?: string
  }>()
  return body.keyname ?? body.code ?? 'nothing'
}

/**
 * Guesses twelve times at once: five guesses are free, then the others are told to wait. On a busy machine the first
 * wait of a second may be over before the last of them has come.
 */
export async function guessAtOnce(guess: (at: number) => Promise<TestResponse>): Promise<void> {
  const answers = await Promise.all(Array.from({ length: 12 }, (_, at) => guess(at)))
  const free = answers.filter(({ status }) => status === 401)
  const slowed = answers.filter(({ status }) => status === 429)
  const waits = slowed.map(({ headers }) => Number(headers.get('retry-after')))
  if (free.length < 5 || free.length > 8 || !waits.every((seconds) => seconds > 0) || waits.length === 0)
    throw new Error(`${free.length} were free, the others have to wait ${waits}`)
}

async function idOf(answer: Promise<TestResponse>): Promise<number> {
  const { status, body } = {
    status: (await answer).status,
    body: await (await answer).json<{ id: number }>(),
  }
  if (status !== 200) throw new Error(JSON.stringify(body))
  return body.id
}
