(define (problem turn-a-tower-over)
  (:domain blocksworld)
  (:objects oak elm ash fir - block)
  (:init
    (handempty)
    (ontable oak) (on elm oak) (on ash elm) (clear ash)
    (ontable fir) (clear fir))
  (:goal (and (on oak elm) (on elm ash) (on ash fir))))
