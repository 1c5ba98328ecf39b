import { inject } from 'vitest'
import type { Services } from './global.ts'

/** Returns the connection data of a shared service of the test run, starting it on first use. */
export async function requestService<Name extends keyof Services>(name: Name): Promise<Services[Name]> {
  const response = await fetch(`${inject('servicesUrl')}/${name}`)
  const body = await response.text()
  if (!response.ok) throw new Error(body)
  return JSON.parse(body)
}
