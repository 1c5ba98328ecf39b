import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import PQueue from 'p-queue'
import { problem } from '../../contract/problems.ts'

/** Cost of a new hash: about 50 ms and 32 MiB. */
const cost = { N: 2 ** 15, r: 8, p: 1 } as const
const keyBytes = 32

/** Hashes at work at once: each takes a core and its memory, and guesses must not starve the rest of the server. */
const queue = new PQueue({ concurrency: 2 })
/** Hashes that may wait: a few seconds of work. */
const mostWaiting = 100

/** Hashes a password with scrypt and a salt of its own: `scrypt$N$r$p$salt$key`. @see RFC 7914 */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16)
  const key = await derive(password, salt, cost)
  const { N, r, p } = cost
  return ['scrypt', N, r, p, salt.toString('base64'), key.toString('base64')].join('$')
}

/**
 * Tells whether a password is the one a hash was made of. Without a hash it takes as long and says no, so that the
 * time does not tell which logins exist.
 */
export async function verifyPassword(password: string, hash: string | null): Promise<boolean> {
  const { options, salt, key } = findParts(hash ?? '') ?? unknown
  const derived = await derive(password, salt, options)
  return timingSafeEqual(derived, key) && hash !== null
}

/** Makes a password that nobody guesses: 24 characters, 144 bits. */
export function generatePassword(): string {
  return randomBytes(18).toString('base64url')
}

interface Parts {
  readonly options: ScryptOptions
  readonly salt: Buffer
  readonly key: Buffer
}

const unknown: Parts = { options: cost, salt: Buffer.alloc(16), key: Buffer.alloc(keyBytes) }

function findParts(hash: string): Parts | undefined {
  const [name, N, r, p, salt, key] = hash.split('$')
  if (name !== 'scrypt' || salt === undefined || key === undefined) return undefined
  const options = { N: Number(N), r: Number(r), p: Number(p) }
  return { options, salt: Buffer.from(salt, 'base64'), key: Buffer.from(key, 'base64') }
}

async function derive(password: string, salt: Buffer, options: ScryptOptions): Promise<Buffer> {
  const text = password.normalize('NFKC')
  if (queue.size >= mostWaiting)
    throw problem('auth/too-many', 'Too many logins at once; try again in 2 s.', { data: { retry_after: 2 } })
  return queue.add(
    () =>
      new Promise<Buffer>((resolve, reject) => {
        scrypt(text, salt, keyBytes, { ...options, maxmem: 128 * 2 ** 20 }, (error, key) =>
          error === null ? resolve(key) : reject(error),
        )
      }),
  )
}
