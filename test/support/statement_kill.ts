// Preloaded into a server that kills itself, as if its machine failed: when it has sent a number of statements to the
// database since the start of the request that says so, or when it has answered that request. @see `spawnServer`
import { type IncomingMessage, Server, type ServerResponse } from 'node:http'
import pg from 'pg'
import { killHeader } from './fault_proxy.ts'

const die = () => process.kill(process.pid, 'SIGKILL')
let left: number | undefined

const { query } = pg.Client.prototype
pg.Client.prototype.query = function (this: pg.Client, ...rest: unknown[]) {
  const sent = Reflect.apply(query, this, rest)
  if (left !== undefined) left -= 1
  if (left === 0) die()
  return sent
} as typeof query

const { emit } = Server.prototype
Server.prototype.emit = function (this: Server, ...rest: [string, ...unknown[]]) {
  const [name, request, response] = rest
  const statements = name === 'request' ? (request as IncomingMessage).headers[killHeader] : undefined
  if (statements !== undefined) {
    left = Number(statements)
    ;(response as ServerResponse).once('finish', die)
  }
  return Reflect.apply(emit, this, rest)
} as typeof emit
