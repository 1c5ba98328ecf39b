import { Server, ServerCredentials, type UntypedServiceImplementation } from '@grpc/grpc-js'
import { createEngineLog } from './engine_log.ts'
import { LandformProvider, type ProviderPlace } from './provider.ts'
import { createService, serviceDefinition } from './service.ts'

/** A provider that serves its engine. */
export interface ServedProvider {
  readonly port: number
  stop(): void
}

/** Serves the provider on a free port of this machine. Warnings go to the engine at the address. */
export async function serveProvider(place: ProviderPlace, engineAddress?: string): Promise<ServedProvider> {
  const server = new Server({
    'grpc.max_receive_message_length': -1,
    'grpc.max_send_message_length': -1,
  })
  const provider = new LandformProvider(place)
  const log = createEngineLog()
  if (engineAddress !== undefined) log.connect(engineAddress)
  const service = createService(provider, log) as unknown as UntypedServiceImplementation
  server.addService(serviceDefinition, service)
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    )
  })
  return {
    port,
    stop: () => {
      server.forceShutdown()
      log.close()
      void provider.close()
    },
  }
}
