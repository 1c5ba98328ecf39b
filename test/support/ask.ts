import { inject } from 'vitest'
import type { Services } from './global.ts'

/** Asks the run for something it shares, starting it if this file is the first. */
export async function askService<Name extends keyof Services>(name: Name): Promise<Services[Name]> {
  const response = await fetch(`${inject('servicesUrl')}/${name}`)
  const body = await response.text()
  if (!response.ok) throw new Error(body)
  return JSON.parse(body)
}
