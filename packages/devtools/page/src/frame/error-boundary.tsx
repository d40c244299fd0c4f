import { Component } from 'preact';
import type { ComponentChildren } from 'preact';
import { route } from '../routes.js';
import type { Route } from '../routes.js';
import { ErrorState } from '../ui/feedback.js';

interface State {
  readonly error: unknown;
  /** The route that failed. Other items of the section may still work. */
  readonly at?: Route | undefined;
}

/** Catches errors of a section, so that the frame keeps working. Resets when the route changes. */
export class ErrorBoundary extends Component<{ readonly children: ComponentChildren }, State> {
  override state: State = { error: undefined };

  static override getDerivedStateFromError(error: unknown): State {
    return { error, at: route.peek() };
  }

  override render() {
    const { error, at } = this.state;
    if (at !== route.value) return this.props.children;
    const message = error instanceof Error ? error.message : String(error);
    return (
      <div class="page">
        <h1>This section failed</h1>
        <ErrorState
          error={{ message, hint: 'This is a fault of the page. Please report it.' }}
          onRetry={() => this.setState({ at: undefined })}
        />
      </div>
    );
  }
}
