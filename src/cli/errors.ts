import { CommanderError } from 'commander';
import { ConfigMistakes } from '../config.ts';
import { Failure, type FailureCode } from '../domain/failure.ts';
import { explainLoadingError } from '../runtime/add-ons.ts';

interface ReportedError {
  readonly error: string;
  /** One line. */
  readonly message: string;
  /** 2 for a usage error, else 1. */
  readonly exitCode: number;
}

/** Describes any error of a command: a code for scripts and a message for people. */
export function describeError(error: unknown): ReportedError {
  if (error instanceof CommanderError) {
    const message = error.code === 'commander.help' ? 'a command is missing' : error.message.replace(/^error: /, '');
    return report('usage_invalid', message, 2);
  }
  if (error instanceof ConfigMistakes) return report('configuration_invalid', error.message);
  if (error instanceof Failure) return report(error.code, messageOf(error));
  const unfit = explainLoadingError(error);
  if (unfit !== null) return report('platform_unfit', unfit);
  return report('internal', error instanceof Error ? error.message : String(error));
}

function report(
  error: FailureCode | 'usage_invalid' | 'configuration_invalid' | 'platform_unfit',
  message: string,
  exitCode = 1,
): ReportedError {
  return { error, message: message.replace(/\s*[\r\n]+\s*/g, ' ').trim(), exitCode };
}

function messageOf({ code, detail }: Failure): string {
  if (detail.message !== undefined) return detail.message;
  const reason = detail.reason === undefined ? '' : ` (${detail.reason})`;
  if (code === 'conflict') return `${detail.name ?? 'name'} has already been taken`;
  if (code === 'unavailable') return `the service cannot do this now${reason}`;
  return `${code.replaceAll('_', ' ')}${reason}`;
}
