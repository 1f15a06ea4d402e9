package report

import (
	"io"

	"github.com/ringfence-dev/ringfence/pkg/access"
)

// Explanation is the answer to one request, and why.
type Explanation struct {
	// Settings that the answer rests on.
	Settings Settings `json:"settings"`
	Answer
	// Unjudged are objects that can't be read, or whose effect can't be told offline.
	Unjudged []Unjudged `json:"unjudged"`
}

// Answer is one to one request.
type Answer struct {
	// From is who asks, To the pods and Port the port that are asked.
	From string `json:"from"`
	To   string `json:"to"`
	Port int32  `json:"port"`
	// Answer is "yes", "no" or "unknown".
	Answer string `json:"answer"`
	// Steps are the stages in their order; the last one decided where it isn't "yes".
	Steps []Step `json:"steps"`
	// Hops are a gateway's own requests to the pods that it may send the request to.
	Hops []Answer `json:"hops"`
}

// Step is what one stage finds.
type Step struct {
	// Stage is network, capture, transport, authenticate, authorize or route.
	Stage string `json:"stage"`
	// Answer is "yes", "no" or "unknown".
	Answer string `json:"answer"`
	// Text says it in a sentence.
	Text string `json:"text"`
	// Object and Field are what it rests on, where that is one.
	Object *Object `json:"object,omitempty"`
	Field  string  `json:"field,omitempty"`
}

// ExplanationOf answers one request.
func ExplanationOf(m *access.Mesh, r access.Request) *Explanation {
	return &Explanation{SettingsOf(m), answerOf(Names(m), r, m.Through(r)), UnjudgedOf(m)}
}

func answerOf(names map[*access.Workload]string, r access.Request, v access.Verdict) Answer {
	from := names[r.From.Workload]
	if from == "" {
		from = r.From.String()
		if r.From.Address.IsValid() {
			from += " at " + r.From.Address.String()
		}
	}
	out := Answer{From: from, To: names[r.To], Port: r.Port, Answer: v.Allowed.String(), Steps: []Step{}, Hops: []Answer{}}
	for _, s := range v.Steps {
		out.Steps = append(out.Steps, Step{string(s.Stage), s.Allowed.String(), s.Text, objectOf(s.Object), s.Field})
	}
	for _, h := range v.Hops {
		out.Hops = append(out.Hops, answerOf(names, h.Request, h.Verdict))
	}
	return out
}

// JSON writes the explanation.
func (e *Explanation) JSON(w io.Writer) error { return writeJSON(w, e) }
