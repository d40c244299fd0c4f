import { Component } from 'preact';
import type { ComponentChildren } from 'preact';
import { ErrorState } from '../ui/feedback.js';

interface State {
  readonly error: unknown;
}

/** Keeps the frame alive if a section throws. */
export class ErrorBoundary extends Component<{ readonly children: ComponentChildren }, State> {
  override state: State = { error: undefined };

  static override getDerivedStateFromError(error: unknown): State {
    return { error };
  }

  override render() {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    const message = error instanceof Error ? error.message : String(error);
    return (
      <div class="page">
        <h1>This section failed</h1>
        <ErrorState
          error={{ message, hint: 'This is a fault of the page. Please report it.' }}
          onRetry={() => this.setState({ error: undefined })}
        />
      </div>
    );
  }
}
