import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import type { Field, Step, UploadEvent } from './request.ts';

/** A step as Middy runs it: its type says nothing of the fields that it needs. */
type Middleware = MiddlewareObj<APIGatewayProxyEvent, APIGatewayProxyResult>;

/** Wraps a step so that it records its duration in `event.middlewareMs` under its name, in milliseconds. */
const timed = (name: string, { before }: Step<Field, Field>): Step<Field, Field> => ({
  before: async (request) => {
    const start = performance.now();
    try {
      await before?.(request);
    } finally {
      request.event.middlewareMs[name] = Math.round((performance.now() - start) * 100) / 100;
    }
  },
});

/** The steps in order; it compiles only if each has the fields it needs. @template Has the fields after these steps */
export class Steps<Has extends Field = never> {
  readonly #steps: Readonly<Record<string, Middleware>>;

  constructor(steps: Readonly<Record<string, Middleware>> = {}) {
    this.#steps = steps;
  }

  around<Needs extends Has, Adds extends Field, Sees extends Field>(name: string, step: Step<Needs, Adds, Sees>) {
    return new Steps<Has | Adds>({ ...this.#steps, [name]: step as Middleware });
  }

  check<Needs extends Has, Adds extends Field>(name: string, step: Step<Needs, Adds>) {
    return new Steps<Has | Adds>({ ...this.#steps, [name]: timed(name, step) as Middleware });
  }

  /** Returns the steps by name, and what handles the event after them. */
  last(handle: (event: UploadEvent<Has, Field>) => Promise<APIGatewayProxyResult>) {
    return { steps: this.#steps, handle: handle as (event: APIGatewayProxyEvent) => Promise<APIGatewayProxyResult> };
  }
}
