import { type Api, createApi } from '../api/api.ts'
import { administrator } from '../contract/principal.ts'
import { problem } from '../contract/problems.ts'
import { isProblem } from '../core/problem.ts'
import { serverSettings } from '../server/settings/server_settings.ts'
import { findGeneratedPassword } from './connect.ts'
import { programVersion } from './version.ts'

const { variable } = serverSettings.adminPassword

/** A server that runs in this process. */
export interface OwnServer {
  readonly url: string
  /** Absolute path of its data directory. */
  readonly dataFolder: string
  /** Password in LANDFORM_ADMIN_PASSWORD. */
  readonly adminPassword?: string | undefined
}

/**
 * Opens an API client for the administrator of a server in this process, with the generated password of its data
 * directory or LANDFORM_ADMIN_PASSWORD. Ignores the credentials of commands, which are those of other servers.
 *
 * @throws {Problem} auth/bad-credentials if neither is the password of the administrator
 */
export async function connectOwn({ url, dataFolder, adminPassword }: OwnServer): Promise<Api> {
  const known = [await findGeneratedPassword(dataFolder), adminPassword]
  for (const password of known) {
    if (password === undefined) continue
    const credentials = { login: administrator, password }
    const api = createApi({ url, credentials, userAgent: `landform/${programVersion()}` })
    if (await isAccepted(api)) return api
    await api.close()
  }
  throw wrongPassword(adminPassword)
}

async function isAccepted(api: Api): Promise<boolean> {
  try {
    await api.call('auth.current_user')
    return true
  } catch (error) {
    if (isProblem(error, 'auth/bad-credentials')) return false
    await api.close()
    throw error
  }
}

function wrongPassword(given: string | undefined) {
  const message =
    given === undefined
      ? `The password of the user "${administrator}" is unknown: ${variable} is not set, and the data directory has no valid generated password.`
      : `${variable} is not the password of the user "${administrator}".`
  return problem('auth/bad-credentials', message, {
    hint: `Set ${variable} to the current password of "${administrator}". The variable sets the password on the first start only; landform user set-password changes it.`,
  })
}
