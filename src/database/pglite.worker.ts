import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import { isDiskFull } from '../core/disk_full.ts'
import { isProblem } from '../core/problem.ts'
import { lockFolder } from './folder_lock.ts'
import { Backend } from './pglite_backend.ts'
import { startInFolder, startInMemory } from './start_pglite.ts'
import { WorkerEnd } from './worker_link.ts'
import type { WorkerData, WorkerMessage } from './worker_socket.ts'

const { folder, token, cacheFolder, port, signals } = workerData as WorkerData & {
  readonly port: MessagePort
  readonly signals: Int32Array
}

function post(message: WorkerMessage): void {
  parentPort?.postMessage(message)
}

let backend: Backend | undefined
const options = {
  cacheFolder,
  onFileAccess: () => backend?.checkCancel(),
  onSpent: () => post({ kind: 'spent' }),
}

async function start() {
  if (folder === undefined) return startInMemory(options)
  await lockFolder(folder, { token, pid: process.pid, isRunning })
  return startInFolder(folder, options)
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

try {
  const pglite = await start()
  backend = new Backend(pglite, new WorkerEnd(port, signals, receiveMessageOnPort))
  post({ kind: 'ready' })
  backend.serve()
  await pglite.close()
} catch (error) {
  const message = error instanceof Error ? error.message : String(error)
  const fallback = { code: isDiskFull(error) ? 'files/full' : 'database/unavailable', data: {} }
  const { code, data } = isProblem(error) ? error : fallback
  post({ kind: 'failed', code, message, data })
}
port.close()
